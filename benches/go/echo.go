package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"
)

// The bytes of a connection's buffer: more than a message has, as in the other servers.
const echoBuffer = 4096

// echoServer serves until its input ends, and answers each line of it with the processor time, in
// nanoseconds, and the sleeps so far. Where there is an upstream, it is a proxy before it.
func echoServer(upstream string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fail("%v", err)
	}
	serve := echo
	if upstream != "" {
		serve = func(connection net.Conn) { passOn(connection, upstream) }
	}
	go acceptAll(listener, serve)
	fmt.Printf("listening %v\n", listener.Addr())
	for questions := bufio.NewScanner(os.Stdin); questions.Scan(); {
		used, sleeps := usage()
		fmt.Printf("used %d %d\n", used.Nanoseconds(), sleeps)
	}
}

func acceptAll(listener net.Listener, serve func(net.Conn)) {
	for {
		connection, err := listener.Accept()
		if err != nil {
			fail("%v", err)
		}
		go serve(connection)
	}
}

// echo sends everything back until the client ends the connection, or breaks it off.
func echo(connection net.Conn) {
	defer connection.Close()
	buffer := make([]byte, echoBuffer)
	for {
		read, err := connection.Read(buffer)
		if err != nil {
			return
		}
		if _, err := connection.Write(buffer[:read]); err != nil {
			return
		}
	}
}

// passOn copies both ways until both have ended. An error is a client that broke off.
func passOn(client net.Conn, upstream string) {
	defer client.Close()
	server, err := net.Dial("tcp", upstream)
	if err != nil {
		fail("%v", err)
	}
	defer server.Close()
	go func() {
		_, _ = io.Copy(server, client)
		_ = server.(*net.TCPConn).CloseWrite()
	}()
	_, _ = io.Copy(client, server)
}

// usage is the processor time of the process, user and system, and how often a thread of it has
// given up its core of itself.
func usage() (time.Duration, int64) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		fail("%v", err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), usage.Nvcsw
}
