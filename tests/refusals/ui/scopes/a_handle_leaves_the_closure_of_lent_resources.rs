fn main() {
    drop(wsrt::task::scope_with((), async |scope, ()| scope.spawn(async { 1 })));
}
