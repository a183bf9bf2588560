module wsrt/benches

go 1.22
