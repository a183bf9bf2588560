package main

import (
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// timerTicks lets size goroutines tick every 100 ms, each at its own phase.
func timerTicks(_, size, _, rounds int) []figure {
	const period = 100 * time.Millisecond
	before := processorTime()
	late := make([]time.Duration, size*rounds)
	start := time.Now().Add(period)
	var all sync.WaitGroup
	all.Add(size)
	for number := range size {
		go func() {
			first := start.Add(time.Duration(scatter(uint64(number)) % uint64(period)))
			for tick := range rounds {
				late[number*rounds+tick] = sleepUntil(first.Add(time.Duration(tick) * period))
			}
			all.Done()
		}()
	}
	all.Wait()
	used := processorTime() - before
	return append(lateness(late), figure{"cpu_us_per_timer", micros(used) / float64(len(late))})
}

// timerBusy lets size goroutines tick every 3 ms beside two for each worker that compute for 2 ms and yield.
func timerBusy(workers, size, warmUp, rounds int) []figure {
	const period, poll, each = 3 * time.Millisecond, 2 * time.Millisecond, 2
	var stop atomic.Bool
	var ticking, computing sync.WaitGroup
	computing.Add(workers * each)
	for range workers * each {
		go func() {
			for !stop.Load() {
				spin(poll)
				runtime.Gosched()
			}
			computing.Done()
		}()
	}
	late := make([]time.Duration, size*rounds)
	start := time.Now().Add(period)
	ticking.Add(size)
	for number := range size {
		go func() {
			deadline := start.Add(period * time.Duration(number) / time.Duration(size))
			for tick := range warmUp + rounds {
				by := sleepUntil(deadline)
				if tick >= warmUp {
					late[number*rounds+tick-warmUp] = by
				}
				deadline = deadline.Add(period)
				if now := time.Now(); deadline.Before(now) {
					deadline = now
				}
			}
			ticking.Done()
		}()
	}
	ticking.Wait()
	stop.Store(true)
	computing.Wait()
	return lateness(late)
}

// readied lets a goroutine ready another and compute for size milliseconds.
func readied(_, size, _, rounds int) []figure { return waits(size, rounds, 0) }

// readiedBusy does that after 50 ms of yields.
func readiedBusy(_, size, _, rounds int) []figure { return waits(size, rounds, 50*time.Millisecond) }

func waits(size, rounds int, busy time.Duration) []figure {
	all := make([]time.Duration, rounds)
	for round := range rounds {
		ran := make(chan time.Duration, 1)
		done := make(chan struct{})
		go func() {
			for start := time.Now(); time.Since(start) < busy; {
				runtime.Gosched()
			}
			readied := time.Now()
			go func() { ran <- time.Since(readied) }()
			spin(time.Duration(size) * time.Millisecond)
			close(done)
		}()
		<-done
		all[round] = <-ran
		time.Sleep(10 * time.Millisecond)
	}
	return quantiles(all, "median_us", "p99_us")
}

// sleepUntil returns by how much it woke after the deadline.
func sleepUntil(deadline time.Time) time.Duration {
	time.Sleep(time.Until(deadline))
	late := time.Since(deadline)
	if late < 0 {
		fail("a timer was early by %v", -late)
	}
	return late
}

func spin(duration time.Duration) {
	for start := time.Now(); time.Since(start) < duration; {
	}
}

// scatter makes numbers that look random, those of the other runtimes.
func scatter(number uint64) uint64 {
	mixed := (number + 1) * 0x9E3779B97F4A7C15
	return (mixed ^ mixed>>29) * 0xBF58476D1CE4E5B9 >> 17
}

func lateness(late []time.Duration) []figure {
	return quantiles(late, "median_us_late", "p99_us_late")
}

func quantiles(all []time.Duration, median, worst string) []figure {
	slices.Sort(all)
	return []figure{{median, quantile(all, 0.5)}, {worst, quantile(all, 0.99)}}
}

// quantile is the figure below which the share of them lies, on a straight line between neighbours.
func quantile(sorted []time.Duration, share float64) float64 {
	place := share * float64(len(sorted)-1)
	below, above := micros(sorted[int(math.Floor(place))]), micros(sorted[int(math.Ceil(place))])
	return below + (above-below)*(place-math.Floor(place))
}

func micros(duration time.Duration) float64 {
	return float64(duration.Nanoseconds()) / 1e3
}

// processorTime is what the process has used, user and system.
func processorTime() time.Duration {
	used, _ := usage()
	return used
}
