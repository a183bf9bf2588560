//! An axum service whose handlers query tables with polars. polars has a thread pool of its own:
//! with the environment variable `WSRT_RAYON_SHARE=1` it computes on the runtime's processors.

use axum::Router;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::routing::get;
use polars::prelude::*;

/// Returns the routes of the service.
pub fn routes() -> Router {
    Router::new().route("/", get(|| async { "light" })).route("/totals/{orders}", get(totals))
}

/// Queries a table of `orders` rows, and answers with a line for each region.
async fn totals(Path(orders): Path<u32>) -> Result<String, StatusCode> {
    lines(orders.clamp(1, 10_000_000)).map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)
}

fn lines(orders: u32) -> PolarsResult<String> {
    let table = totals_by_region(orders)?;
    let (regions, totals, counts) = (table.column("region")?, table.column("total")?, table.column("orders")?);
    let lines = regions.str()?.iter().zip(totals.i64()?.iter()).zip(counts.u32()?.iter());
    Ok(lines
        .map(|((region, total), orders)| {
            format!("{} {} {}\n", region.unwrap_or_default(), total.unwrap_or_default(), orders.unwrap_or_default())
        })
        .collect())
}

/// The regions of the customers.
pub const REGIONS: [&str; 4] = ["north", "east", "south", "west"];

/// How many customers there are.
pub const CUSTOMERS: u32 = 1_000;

/// Returns the customer and the price of an order.
#[must_use]
pub fn order(number: u32) -> (u32, i64) {
    let mixed = number.wrapping_mul(2_654_435_761);
    (mixed % CUSTOMERS, i64::from(mixed >> 16))
}

/// Groups, joins and sorts: the total of each region's orders, the largest first.
///
/// # Errors
///
/// Returns the error of polars.
pub fn totals_by_region(orders: u32) -> PolarsResult<DataFrame> {
    let (buyers, prices): (Vec<u32>, Vec<i64>) = (0..orders).map(order).unzip();
    let orders = df!("customer" => buyers, "price" => prices)?.lazy();
    let ids: Vec<u32> = (0..CUSTOMERS).collect();
    let regions: Vec<&str> = ids.iter().map(|id| REGIONS[*id as usize % REGIONS.len()]).collect();
    let customers = df!("id" => ids, "region" => regions)?.lazy();
    orders
        .join(customers, [col("customer")], [col("id")], JoinArgs::new(JoinType::Inner))
        .group_by([col("region")])
        .agg([col("price").sum().alias("total"), len().alias("orders")])
        .sort(["total"], SortMultipleOptions::default().with_order_descending(true))
        .collect()
}
