package main

import (
	"runtime"
	"sync"
	"time"
)

// The tasks of the rows in which several share something, and the room of a bounded channel.
const (
	sharers = 4
	room    = 64
)

// sendRecv sends a value into a channel with room, and receives it.
func sendRecv(size int) (time.Duration, int) {
	values := make(chan int, room)
	sum := 0
	start := time.Now()
	for value := range size {
		values <- value
		sum += <-values
	}
	elapsed := time.Since(start)
	check("the sum", sum, size*(size-1)/2)
	return elapsed, size
}

// oneshot makes a channel for one value, sends and receives.
func oneshot(size int) (time.Duration, int) {
	sum := 0
	start := time.Now()
	for value := range size {
		channel := make(chan int, 1)
		channel <- value
		sum += <-channel
	}
	elapsed := time.Since(start)
	check("the sum", sum, size*(size-1)/2)
	return elapsed, size
}

// lock locks a mutex that nothing else wants.
func lock(size int) (time.Duration, int) {
	var mutex sync.Mutex
	count := 0
	start := time.Now()
	for range size {
		mutex.Lock()
		count++
		mutex.Unlock()
	}
	elapsed := time.Since(start)
	check("the locks", count, size)
	return elapsed, size
}

// read locks a readers-writer lock for reading.
func read(size int) (time.Duration, int) {
	var lock sync.RWMutex
	sum, value := 0, 1
	start := time.Now()
	for range size {
		lock.RLock()
		sum += value
		lock.RUnlock()
	}
	elapsed := time.Since(start)
	check("the reads", sum, size)
	return elapsed, size
}

// bounded sends from one goroutine to another.
func bounded(size int) (time.Duration, int) { return sendFrom(1, 1, size) }

// fourToOne sends from four goroutines to one.
func fourToOne(size int) (time.Duration, int) { return sendFrom(sharers, 1, size) }

// fourToFour sends from four goroutines to four.
func fourToFour(size int) (time.Duration, int) { return sendFrom(sharers, sharers, size) }

func sendFrom(senders, receivers, size int) (time.Duration, int) {
	each := (size + senders - 1) / senders
	values, received := make(chan int, room), make(chan [2]int, receivers)
	start := time.Now()
	for range receivers {
		go func() {
			count, sum := 0, 0
			for value := range values {
				count++
				sum += value
			}
			received <- [2]int{count, sum}
		}()
	}
	var sending sync.WaitGroup
	sending.Add(senders)
	for range senders {
		go func() {
			for value := range each {
				values <- value
			}
			sending.Done()
		}()
	}
	sending.Wait()
	close(values)
	count, sum := 0, 0
	for range receivers {
		result := <-received
		count += result[0]
		sum += result[1]
	}
	elapsed := time.Since(start)
	check("the values", count, senders*each)
	check("their sum", sum, senders*(each*(each-1)/2))
	return elapsed, senders * each
}

// requestReply sends a request to another goroutine and waits for the reply.
func requestReply(size int) (time.Duration, int) { return toAndFro(room, size) }

// lockFour lets four goroutines lock one mutex.
func lockFour(size int) (time.Duration, int) { return share(size, func() {}) }

// lockHeld lets each yield with the mutex locked.
func lockHeld(size int) (time.Duration, int) { return share(size, runtime.Gosched) }

func share(size int, held func()) (time.Duration, int) {
	each := (size + sharers - 1) / sharers
	var mutex sync.Mutex
	count := 0
	start := time.Now()
	together(func() {
		for range each {
			mutex.Lock()
			count++
			held()
			mutex.Unlock()
		}
	})
	elapsed := time.Since(start)
	check("the locks", count, sharers*each)
	return elapsed, sharers * each
}

// readWrite lets four goroutines lock one readers-writer lock, each time in a hundred for writing.
func readWrite(size int) (time.Duration, int) {
	const aWriteIn = 100
	each := (size + sharers - 1) / sharers
	var lock sync.RWMutex
	count := 0
	start := time.Now()
	together(func() {
		last := 0
		for at := range each {
			if (at+1)%aWriteIn == 0 {
				lock.Lock()
				count++
				lock.Unlock()
				continue
			}
			lock.RLock()
			now := count
			lock.RUnlock()
			if now < last {
				fail("a write was undone")
			}
			last = now
		}
	})
	elapsed := time.Since(start)
	check("the writes", count, sharers*(each/aWriteIn))
	return elapsed, sharers * each
}

// notify wakes to and fro over two channels that keep one wake-up.
func notify(size int) (time.Duration, int) {
	there, back := make(chan struct{}, 1), make(chan struct{}, 1)
	returned := make(chan int, 1)
	start := time.Now()
	go func() {
		count := 0
		for range there {
			count++
			back <- struct{}{}
		}
		returned <- count
	}()
	for range size {
		there <- struct{}{}
		<-back
	}
	close(there)
	count := <-returned
	elapsed := time.Since(start)
	check("the returns", count, size)
	return elapsed, size
}

// together runs work in four goroutines and waits for them.
func together(work func()) {
	var all sync.WaitGroup
	all.Add(sharers)
	for range sharers {
		go func() {
			work()
			all.Done()
		}()
	}
	all.Wait()
}
