//! The pages in a router.

use http_body_util::BodyExt;
use hyper::body::Bytes;
use hyper::{Request, Response};
use tower_service::Service as _;
use wsrt_debug::{Body, Service};
use wsrt_tests::{foreign_block_on, runtime_with, within_a_minute};

fn call(service: &mut Service, method: &str, target: &str) -> Response<Bytes> {
    let request = Request::builder().method(method).uri(target).body(()).expect("it is valid");
    let response: Response<Body> = foreign_block_on(service.call(request)).unwrap_or_else(|never| match never {});
    let (head, body) = response.into_parts();
    Response::from_parts(head, foreign_block_on(body.collect()).expect("files can be read").to_bytes())
}

fn text(response: &Response<Bytes>) -> &str {
    std::str::from_utf8(response.body()).expect("the page is text")
}

#[test]
fn a_router_may_take_the_prefix_or_leave_it() {
    within_a_minute(|| {
        let _runtime = runtime_with(1);
        let mut service = Service::at("/debug/");
        for target in ["/debug/tasks", "/tasks"] {
            assert!(text(&call(&mut service, "GET", target)).starts_with("runtime "), "{target}");
        }
        for target in ["/debug", "/debug/", "/"] {
            let page = call(&mut service, "GET", target);
            assert!(text(&page).contains("href=\"/debug/tasks"), "{target}: {page:?}");
        }
        let reply = call(&mut service, "GET", "/debug/nothing");
        assert_eq!((reply.status().as_u16(), text(&reply).contains("there are /debug/tasks")), (404, true));
    });
}

#[test]
fn answers_have_their_lengths_and_methods() {
    within_a_minute(|| {
        let runtime = runtime_with(1);
        let mut service = Service::at("");
        let target = format!("/trace?seconds=0.05&runtime={}", runtime.handle().id());
        let trace = call(&mut service, "GET", &target);
        assert_eq!(trace.headers()["content-length"], trace.body().len().to_string());
        assert_eq!(trace.headers()["content-disposition"], "attachment; filename=\"wsrt.perfetto-trace\"");
        let head = call(&mut service, "HEAD", "/");
        assert!(head.status() == 200 && head.body().is_empty() && head.headers()["content-length"] != "0");
        let unmade = call(&mut service, "HEAD", &target.replace("0.05", "60"));
        assert!(unmade.status() == 200 && unmade.headers().get("content-length").is_none(), "{unmade:?}");
        assert_eq!(call(&mut service, "POST", "/").status(), 405);
    });
}
