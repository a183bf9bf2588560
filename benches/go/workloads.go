package main

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// spawnAll starts goroutines that each leave a number, and waits for them all.
func spawnAll(size int) (time.Duration, int) {
	var all sync.WaitGroup
	numbers := make([]int, size)
	all.Add(size)
	start := time.Now()
	for number := range size {
		go func() {
			numbers[number] = number
			all.Done()
		}()
	}
	all.Wait()
	sum := 0
	for _, number := range numbers {
		sum += number
	}
	elapsed := time.Since(start)
	check("the sum", sum, size*(size-1)/2)
	return elapsed, size
}

// spawnAndAwait starts one goroutine, waits for its result, and again.
func spawnAndAwait(size int) (time.Duration, int) {
	sum := 0
	start := time.Now()
	for number := range size {
		result := make(chan int, 1)
		go func() { result <- number }()
		sum += <-result
	}
	elapsed := time.Since(start)
	check("the sum", sum, size*(size-1)/2)
	return elapsed, size
}

// yields lets size goroutines yield 1,000 times each.
func yields(size int) (time.Duration, int) {
	const each = 1000
	var all sync.WaitGroup
	var count atomic.Int64
	all.Add(size)
	start := time.Now()
	for range size {
		go func() {
			for range each {
				runtime.Gosched()
			}
			count.Add(each)
			all.Done()
		}()
	}
	all.Wait()
	elapsed := time.Since(start)
	check("the yields", int(count.Load()), size*each)
	return elapsed, size * each
}

// chain lets each goroutine start the next one and end.
func chain(size int) (time.Duration, int) {
	done := make(chan int, 1)
	var link func(left, before int)
	link = func(left, before int) {
		if left == 0 {
			done <- before
			return
		}
		go link(left-1, before+1)
	}
	start := time.Now()
	link(size, 0)
	links := <-done
	elapsed := time.Since(start)
	check("the links", links, size)
	return elapsed, size
}

// token goes to and fro over two channels with room for one.
func token(size int) (time.Duration, int) { return toAndFro(1, size) }

// toAndFro sends a number to another goroutine and waits for the next number, over two channels.
func toAndFro(room, size int) (time.Duration, int) {
	there, back := make(chan int, room), make(chan int, room)
	returned := make(chan int, 1)
	start := time.Now()
	go func() {
		count := 0
		for token := range there {
			count++
			back <- token + 1
		}
		returned <- count
	}()
	token := 0
	for range size {
		there <- token
		token = <-back
	}
	close(there)
	count := <-returned
	elapsed := time.Since(start)
	check("the token", token, size)
	check("the returns", count, size)
	return elapsed, size
}

// pingPong starts pairs of goroutines, each with two channels that are used once.
func pingPong(size int) (time.Duration, int) {
	var all sync.WaitGroup
	all.Add(size)
	start := time.Now()
	for number := range size {
		go func() {
			ping, pong := make(chan int, 1), make(chan int, 1)
			go func() { pong <- 1 + <-ping }()
			ping <- number
			check("an answer", <-pong, number+1)
			all.Done()
		}()
	}
	all.Wait()
	return time.Since(start), size
}

// forkJoin computes the greatest Fibonacci number that takes no more than size goroutines.
func forkJoin(size int) (time.Duration, int) {
	number := 0
	for 2*fib(number+2)-1 <= size {
		number++
	}
	start := time.Now()
	sum := <-fork(number)
	elapsed := time.Since(start)
	check("fib", sum, fib(number))
	return elapsed, 2*fib(number+1) - 1
}

func fork(number int) <-chan int {
	result := make(chan int, 1)
	go func() {
		if number < 2 {
			result <- number
			return
		}
		one, other := fork(number-1), fork(number-2)
		result <- <-one + <-other
	}()
	return result
}

func fib(number int) int {
	this, next := 0, 1
	for range number {
		this, next = next, this+next
	}
	return this
}

// tree grows a tree of goroutines, each of which awaits ten children.
func tree(size int) (time.Duration, int) {
	levels, tasks, level := 0, 1, 10
	for tasks+level <= size {
		levels, tasks, level = levels+1, tasks+level, level*10
	}
	start := time.Now()
	count := <-grow(levels)
	elapsed := time.Since(start)
	check("the goroutines of the tree", count, tasks)
	return elapsed, 1
}

func grow(levels int) <-chan int {
	result := make(chan int, 1)
	go func() {
		count := 1
		if levels > 0 {
			var children [10]<-chan int
			for child := range children {
				children[child] = grow(levels - 1)
			}
			for _, child := range children {
				count += <-child
			}
		}
		result <- count
	}()
	return result
}
