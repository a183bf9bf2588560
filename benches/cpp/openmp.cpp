// OpenMP's loops: static, dynamic with chunks of one, guided. Built by src/parallel/cpp.rs.
#include <omp.h>

#include "rival.hpp"

static const auto with_static = [](size_t count, const auto& body) {
#pragma omp parallel for schedule(static)
    for (size_t index = 0; index < count; index++) body(index);
};

static const auto with_dynamic = [](size_t count, const auto& body) {
#pragma omp parallel for schedule(dynamic, 1)
    for (size_t index = 0; index < count; index++) body(index);
};

static const auto with_guided = [](size_t count, const auto& body) {
#pragma omp parallel for schedule(guided)
    for (size_t index = 0; index < count; index++) body(index);
};

int main(int count, char** words) {
    if (count == 2 && !std::strcmp(words[1], "--version")) {
        std::printf("OpenMP %d\n", _OPENMP);
        return 0;
    }
    const Request request = parse(count, words);
    omp_set_dynamic(0);
    omp_set_num_threads(request.processors);
    if (request.subject == "openmp_static") {
        measure(request, with_static);
    } else if (request.subject == "openmp_dynamic_1") {
        measure(request, with_dynamic);
    } else if (request.subject == "openmp_guided") {
        measure(request, with_guided);
    } else {
        refuse("a schedule of OpenMP", request.subject.c_str());
    }
    return 0;
}
