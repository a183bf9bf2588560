// oneTBB's parallel_for with its auto_partitioner. Built by src/parallel/cpp.rs.
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/version.h>

#include "rival.hpp"

static const auto loop = [](size_t count, const auto& body) {
    tbb::parallel_for(
        tbb::blocked_range<size_t>(0, count),
        [&](const tbb::blocked_range<size_t>& range) {
            for (size_t index = range.begin(); index != range.end(); index++) body(index);
        },
        tbb::auto_partitioner());
};

int main(int count, char** words) {
    if (count == 2 && !std::strcmp(words[1], "--version")) {
        std::printf("oneTBB %s\n", TBB_runtime_version());
        return 0;
    }
    const Request request = parse(count, words);
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, request.processors);
    if (request.subject != "onetbb") {
        refuse("a loop of oneTBB", request.subject.c_str());
    }
    measure(request, loop);
    return 0;
}
