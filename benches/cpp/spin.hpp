// Work of a known length: the twin of src/parallel/spin.rs, which says why.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

inline double median(std::vector<double> figures) {
    std::sort(figures.begin(), figures.end());
    const size_t middle = figures.size() / 2;
    return figures.size() % 2 ? figures[middle] : (figures[middle - 1] + figures[middle]) / 2;
}

// Runs `work` and answers how many nanoseconds it took.
template <class Work>
double nanos_of(Work&& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    return took.count();
}

// Takes so many steps.
__attribute__((noinline)) inline void spin(uint32_t steps) {
    uint64_t value = 0x9E3779B97F4A7C15;
    asm volatile("" : "+r"(value));
    for (uint32_t step = 0; step < steps; step++) {
        value ^= value << 13;
        value ^= value >> 7;
        value ^= value << 17;
    }
    asm volatile("" : : "r"(value));
}

inline double median_nanos(uint32_t steps) {
    std::vector<double> nanos(31);
    for (double& trial : nanos) {
        trial = nanos_of([&] { spin(steps); });
    }
    return median(nanos);
}

// Measures how many steps a nanosecond has, and checks the result; ends the process if there is no
// steady speed.
inline double measure_speed() {
    const uint32_t trial = 200000;
    const double check = 100000;
    for (int attempt = 0; attempt < 200; attempt++) {
        const double speed = trial / median_nanos(trial);
        const double took = median_nanos(std::lround(check * speed));
        if (std::fabs(took / check - 1) < 0.05) {
            return speed;
        }
    }
    std::fprintf(stderr, "no steady speed on this machine\n");
    std::exit(1);
}
