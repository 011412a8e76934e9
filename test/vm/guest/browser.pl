# browser.pl MIB RATE: stands in for a browser with a small gpu process and a renderer that grows; ends when that
# does, with its status as a shell has it.
my ($most, $rate) = @ARGV;
my @grow = ('/chromium/chromium', '/guest/grow.pl');
fork or exec @grow, 4, 1, '--type=gpu-process';
my $renderer = fork || exec @grow, $most, $rate, '--type=renderer', '--renderer-client-id=7';
waitpid $renderer, 0;
my $status = $?;
select undef, undef, undef, 3;
exit($status & 127 ? 128 + ($status & 127) : $status >> 8);
