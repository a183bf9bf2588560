package main

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// By how much the process grew in the last round of parked.
var parkedBytes int

// parked lets goroutines wait for the end of a channel, which wakes them all.
func parked(size int) (time.Duration, int) {
	gate := make(chan struct{})
	var arrived, ended sync.WaitGroup
	var woken atomic.Int64
	arrived.Add(size)
	ended.Add(size)
	before := residentBytes()
	for range size {
		go func() {
			arrived.Done()
			<-gate
			woken.Add(1)
			ended.Done()
		}()
	}
	arrived.Wait()
	parkedBytes = residentBytes() - before
	start := time.Now()
	close(gate)
	ended.Wait()
	elapsed := time.Since(start)
	check("those who were woken", int(woken.Load()), size)
	return elapsed, 1
}

// residentBytes is the memory of this process that is not swapped out.
func residentBytes() int {
	const file = "/proc/self/statm"
	text, err := os.ReadFile(file)
	if err != nil {
		fail("%v", err)
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		fail("%s: %q has no second field", file, text)
	}
	pages, err := strconv.Atoi(fields[1])
	if err != nil {
		fail("%s: %v", file, err)
	}
	return pages * os.Getpagesize()
}
