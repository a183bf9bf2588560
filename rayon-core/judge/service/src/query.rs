//! A query over two tables: a join, groups, and a sort.

use std::sync::LazyLock;

use polars::prelude::*;

const CUSTOMERS: u32 = 1_000;

/// The orders and the customers, made once.
static TABLES: LazyLock<[DataFrame; 2]> = LazyLock::new(|| {
    let mixed = (0..200_000_u32).map(|number| number.wrapping_mul(2_654_435_761));
    let (buyers, prices): (Vec<u32>, Vec<i64>) = mixed.map(|mixed| (mixed % CUSTOMERS, i64::from(mixed >> 16))).unzip();
    let ids: Vec<u32> = (0..CUSTOMERS).collect();
    let regions: Vec<u32> = ids.iter().map(|id| id % 40).collect();
    [df!("customer" => buyers, "price" => prices), df!("id" => ids, "region" => regions)]
        .map(|table| table.expect("a table"))
});

/// Returns the region whose customers have paid most, and what.
pub fn run() -> String {
    let [orders, customers] = TABLES.clone().map(IntoLazy::lazy);
    let totals = orders
        .join(customers, [col("customer")], [col("id")], JoinArgs::new(JoinType::Inner))
        .group_by([col("region")])
        .agg([col("price").sum()])
        .sort(["price"], SortMultipleOptions::default().with_order_descending(true))
        .collect()
        .expect("the tables have these columns");
    format!("{:?}", totals.get(0))
}

pub async fn bridged() -> String {
    tokio::task::spawn_blocking(run).await.expect("no panic")
}
