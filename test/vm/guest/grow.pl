# grow.pl MIB RATE …: takes RATE MiB a second until it has MIB, then waits. Further arguments are for show.
my ($most, $rate) = @ARGV;
my @held;
while (1) {
    push @held, "\1" x 1048576 if @held < $most;
    select(undef, undef, undef, 1 / $rate);
}
