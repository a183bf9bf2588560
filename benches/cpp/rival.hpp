// A rival's process: the arguments that `parallel --child` gives it, and the lines in which it
// answers.
//
//   PROGRAM SUBJECT PROCESSORS TURNS WARM_UP RUNS REST_MS SETTLING_MS COST,COST,...
//
// Serial and parallel runs by turns, as in src/parallel/rhythm.rs.
#pragma once

#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <thread>

#include "spin.hpp"

struct Request {
    std::string subject;
    int processors;
    int turns;
    int warm_up;
    int runs;
    int rest_ms;
    int settling_ms;
    std::vector<uint32_t> costs;
};

[[noreturn]] inline void refuse(const char* name, const char* word) {
    std::fprintf(stderr, "%s is not %s\n", word, name);
    std::exit(1);
}

inline long parse_number(const char* name, const char* word, long least) {
    char* end = nullptr;
    const long number = std::strtol(word, &end, 10);
    if (end == word || *end != '\0' || number < least || number > INT32_MAX) {
        refuse(name, word);
    }
    return number;
}

inline Request parse(int count, char** words) {
    if (count != 9) {
        std::fprintf(stderr, "usage: %s SUBJECT PROCESSORS TURNS WARM_UP RUNS REST_MS SETTLING_MS COST,COST,...\n", words[0]);
        std::exit(1);
    }
    Request request{
        words[1],
        static_cast<int>(parse_number("a number of processors", words[2], 1)),
        static_cast<int>(parse_number("a number of turns", words[3], 1)),
        static_cast<int>(parse_number("a number of runs", words[4], 0)),
        static_cast<int>(parse_number("a number of runs", words[5], 1)),
        static_cast<int>(parse_number("a pause in milliseconds", words[6], 0)),
        static_cast<int>(parse_number("a time in milliseconds", words[7], 0)),
        {},
    };
    for (char* word = std::strtok(words[8], ","); word; word = std::strtok(nullptr, ",")) {
        request.costs.push_back(parse_number("a cost in nanoseconds", word, 1));
    }
    return request;
}

inline void print_series(const char* name, const std::vector<double>& figures) {
    std::printf("result %s", name);
    for (const double figure : figures) {
        std::printf(" %.1f", figure);
    }
    std::printf("\n");
}

// Makes sure that `loop`, called with a count and a body, runs every index once.
template <class Loop>
void check(size_t count, Loop& loop) {
    std::unique_ptr<std::atomic<int>[]> ran(new std::atomic<int>[count]());
    loop(count, [&](size_t index) { ran[index].fetch_add(1, std::memory_order_relaxed); });
    for (size_t index = 0; index < count; index++) {
        if (ran[index].load() != 1) {
            std::fprintf(stderr, "index %zu of %zu ran %d times\n", index, count, ran[index].load());
            std::exit(1);
        }
    }
}

// Measures `loop` and prints the series.
template <class Loop>
void measure(const Request& request, Loop loop) {
    const double speed = measure_speed();
    std::vector<uint32_t> steps;
    for (const uint32_t cost : request.costs) {
        steps.push_back(std::lround(cost * speed));
    }
    const size_t count = steps.size();
    const auto body = [&](size_t index) { spin(steps[index]); };
    check(count, loop);

    std::vector<double> serial, parallel;
    const auto turn = [&] {
        for (int run = 0; run < request.warm_up + request.runs; run++) {
            const double nanos = nanos_of([&] {
                for (size_t index = 0; index < count; index++) body(index);
            });
            if (run >= request.warm_up) serial.push_back(nanos);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(request.rest_ms));
        for (int run = 0; run < request.warm_up + request.runs; run++) {
            const double nanos = nanos_of([&] { loop(count, body); });
            if (run >= request.warm_up) parallel.push_back(nanos);
        }
    };
    const auto settled = std::chrono::steady_clock::now() + std::chrono::milliseconds(request.settling_ms);
    while (std::chrono::steady_clock::now() < settled) turn();
    serial.clear();
    parallel.clear();
    for (int number = 0; number < request.turns; number++) turn();
    print_series("serial", serial);
    print_series("parallel", parallel);
}
