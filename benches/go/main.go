// The workloads of benches/src/workloads as a Go programmer would write them: goroutines for tasks,
// Go's own channels.
//
// compare starts it as one child: main WORKLOAD --workers N --size N --warm-up N --rounds N
// --time-limit S, and it prints lines "result METRIC VALUE". Each workload checks its own result.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"time"
)

// A figure, in the unit of its metric.
type figure struct {
	metric string
	value  float64
}

// Workloads that measure by themselves: with so many workers, of the given size, with so many
// rounds before the measured ones.
var measured = map[string]func(workers, size, warmUp, rounds int) []figure{
	"timer_ticks":  timerTicks,
	"timer_busy":   timerBusy,
	"readied":      readied,
	"readied_busy": readiedBusy,
}

// A round of the given size; it answers how long it took and how many operations that were.
type round func(size int) (time.Duration, int)

const (
	perOperation = "ns_per_operation"
	milliseconds = "ms"
)

var workloads = map[string]struct {
	run    round
	metric string
}{
	"spawn_inside": {spawnAll, perOperation},
	// The goroutine of main is like any other.
	"root_spawn":  {spawnAll, perOperation},
	"spawn_await": {spawnAndAwait, perOperation},
	"yield":       {yields, perOperation},
	"chain":       {chain, perOperation},
	"token":       {token, perOperation},
	"ping_pong":   {pingPong, perOperation},
	"fork_join":   {forkJoin, perOperation},
	"tree":        {tree, milliseconds},
	"parked":      {parked, milliseconds},
	// The rows of benches/src/sync.
	"send_recv":     {sendRecv, perOperation},
	"oneshot":       {oneshot, perOperation},
	"lock":          {lock, perOperation},
	"read":          {read, perOperation},
	"bounded":       {bounded, perOperation},
	"four_to_one":   {fourToOne, perOperation},
	"four_to_four":  {fourToFour, perOperation},
	"request_reply": {requestReply, perOperation},
	"lock_four":     {lockFour, perOperation},
	"lock_held":     {lockHeld, perOperation},
	"read_write":    {readWrite, perOperation},
	"notify":        {notify, perOperation},
}

func main() {
	if len(os.Args) < 2 {
		fail("which workload?")
	}
	workload, known := workloads[os.Args[1]]
	measure, measures := measured[os.Args[1]]
	serves := os.Args[1] == "echo_server"
	if !known && !measures && !serves {
		fail("no workload %q in Go", os.Args[1])
	}
	flags := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
	workers := flags.Int("workers", 2, "processors")
	size := flags.Int("size", 1, "operations in a round")
	warmUp := flags.Int("warm-up", 0, "rounds before the measured ones")
	rounds := flags.Int("rounds", 1, "measured rounds")
	upstream := flags.String("upstream", "", "the server to which the echo server passes all on")
	limit := flags.Int("time-limit", 60, "seconds until this counts as failed")
	// ExitOnError: it does not return one.
	_ = flags.Parse(os.Args[2:])

	runtime.GOMAXPROCS(*workers)
	time.AfterFunc(time.Duration(*limit)*time.Second, func() { fail("no result after %d s", *limit) })
	if serves {
		echoServer(*upstream)
		return
	}
	if measures {
		for _, figure := range measure(*workers, *size, *warmUp, *rounds) {
			fmt.Printf("result %s %v\n", figure.metric, figure.value)
		}
		return
	}
	if os.Args[1] == "parked" {
		// Only fresh memory shows a goroutine's size: one round, and the first one.
		*warmUp, *rounds = 0, 1
	}
	for range *warmUp {
		workload.run(*size)
	}
	var elapsed time.Duration
	operations := 0
	for range *rounds {
		took, count := workload.run(*size)
		elapsed += took
		operations += count
	}
	each := float64(elapsed.Nanoseconds()) / float64(operations)
	if workload.metric == milliseconds {
		each /= 1e6
	}
	fmt.Printf("result %s %v\n", workload.metric, each)
	if os.Args[1] == "parked" {
		fmt.Printf("result bytes_per_task %v\n", float64(parkedBytes)/float64(*size))
	}
}

func check(what string, is, should int) {
	if is != should {
		fail("%s: %d, not %d", what, is, should)
	}
}

func fail(message string, values ...any) {
	fmt.Fprintf(os.Stderr, "go: "+message+"\n", values...)
	os.Exit(1)
}
