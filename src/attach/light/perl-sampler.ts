import { perlProcesses } from './perl-processes.ts';

/**
 * The light sampler for a session that has perl: `perl-base` is in every Debian and Ubuntu, and this
 * needs no module. Files are opened once and kept, nothing is forked at a tick, and a frame
 * (collector/light/frame-reader.ts) says what changed since the one before; every sixtieth says all of
 * it, and there the file changes when it has grown to a MiB.
 *
 * Arguments: folder, seconds between samples, number of clock_gettime(2) or 0, files that may be kept
 * open, bytes that all files of frames may take, number of madvise(2) or 0. The head is the line in
 * head.json, and each line in `files` a file that is read besides those of /proc; state, pid and log are
 * those of the collector (session-scripts.ts). Until TERM. It is strict, and its test compiles it so; to
 * say it here would take 0.1 MiB of the session.
 */
export const perlSampler = String.raw`
my ($dir, $every, $call, $most, $room, $advise) = @ARGV;
my $keyEvery = 60;
umask 077;
$SIG{HUP} = $SIG{PIPE} = $SIG{CHLD} = 'IGNORE';
my $over = 0;
$SIG{TERM} = $SIG{INT} = sub { $over = 1 };

# One a session: the lock is held as long as this process is there.
open my $lock, '>>', "$dir/lock" or fail("$dir/lock: $!");
flock $lock, 6 or exit 0;                            # LOCK_EX | LOCK_NB
open my $asked, '<', "$dir/head.json" or fail("$dir/head.json: $!");
chomp(my $head = <$asked>);
close $asked;
open my $besides, '<', "$dir/files" or fail("$dir/files: $!");
chomp(my @extra = <$besides>);
close $besides;
chdir '/proc' or fail("/proc: $!");
opendir my $list, '.' or fail("/proc: $!");

my ($b, $out, $length) = ('', '', 0);                # what is read; of a frame: what waits to be written, and the rest's length
my ($frames, $segment, $size, $good, $whole) = (undef, 0, 0, 0, 0);
my ($n, $key, $told, $purse) = (0, 1, -1e9, 60);
my (%sys, %p, %kernel);
my ($gzip) = grep { -x } '/bin/gzip', '/usr/bin/gzip';
$call = 0 unless length(pack 'L!', 0) == 8 && clock(0);

# Read at every tick; of these files the lines that the collector knows. A trie of them is 80 KB.
${'$'}{^RE_TRIE_MAXBUF} = -1;
my $lines = join '|', qw[
    MemTotal MemFree MemAvailable Buffers Cached Inactive\(file\) SwapTotal SwapFree AnonPages Shmem
    SUnreclaim KernelStack PageTables workingset_refault\w* allocstall\w* pgsteal_kswapd pgsteal_direct
    pswpin pswpout pgmajfault oom_kill cpu processes btime some full anon kernel shmem inactive_file
    hierarchical_memory_limit total_rss total_shmem total_swap total_inactive_file max
];
$lines = qr/^(?:$lines)[: ].*|^(?:max|\d+(?:\.\d+)?)\b/m;
my @sys = (qw(meminfo vmstat stat uptime pressure/memory pressure/cpu pressure/io), @extra);

# The kernel's log, from its oldest record on. O_NONBLOCK
my ($log, $logError);
sysopen $log, '/dev/kmsg', 2048 or $logError = $! + 0;

put('pid', "$$\n");
my $due = now();
until ($over) {
    tick();
    giveBack() if $n == 1;
    $due += $every;
    my $late = now() - $due;
    $due += $every * int($late / $every + 1) if $late >= 0;  # what was missed stays so
    select undef, undef, undef, $due - now() unless $over;
}
tick();

# Much of perl is only needed to compile: its pages go, and those that are needed come again.
sub giveBack {
    return unless $advise && open my $maps, '<', 'self/maps';
    while (<$maps>) {
        next unless /^(\w+)-(\w+) r-xp .*\/.*perl/;
        my ($from, $to) = (hex $1, hex $2);
        syscall $advise, $from, $to - $from, 4;  # MADV_DONTNEED
    }
}

sub tick {
    my ($began, $last) = (now(), $over);
    $key = 1 if ++$n % $keyEvery == 1;
    if ($key) { turn() if $size >= 1 << 20 || !$frames; %kernel = () }
    my ($wall, $mono) = $call ? (clock(0), clock(1)) : ('-', '-');
    $whole = $frames ? 1 : 0;
    $out = "F $n " . ($key ? 'K' : 'D') . ($last ? '!' : '') . " $wall $mono\n";
    $length = -length $out;
    machine();
    kernelLog();
    processes();
    pss();
    $length += length $out;
    $out .= "E $n $length " . int(1000 * (now() - $began) + 0.5) . "\n";
    emit();
    # What could not be written whole is taken back, and a key frame follows.
    if ($whole) { $good = $size } elsif ($frames) { truncate $frames, $good; $size = $good }
    $key = !$whole;
    return unless $last || now() - $told >= 10;
    $told = now();
    put('state.json', sprintf '{"pid":%d,"nodePath":"","light":"perl","sampleCount":%d,"lastUnixMs":%s,"isOver":%s}',
        $$, $whole ? $n : 0, $call ? $wall : 1000 * time, $last ? 'true' : 'false');
}

sub emit {
    $whole &&= syswrite($frames, $out) == length $out;
    $size += length $out;
    $out = '';
}

sub spill {
    return if length $out < 4096;
    $length += length $out;
    emit();
}

# The next file. The one before is packed, and the oldest are removed until all fit.
sub turn {
    close $frames if $frames;
    opendir my $folder, $dir or return;
    my @old = map { "$dir/$_" } sort grep { /^frames\.\d+(\.gz)?\z/ } readdir $folder;
    $segment = $1 if @old && $old[-1] =~ /(\d+)(\.gz)?\z/;
    my $total = 0;
    $total += -s for @old;
    while (@old && $total > $room - (4 << 20)) { $total -= -s $old[0]; unlink shift @old }
    if ($gzip) { compress($_) for grep { !/gz\z/ } @old }
    open $frames, '>>', sprintf '%s/frames.%08d', $dir, $segment + 1 or return $frames = undef;
    ($out, $size, $whole) = ("\nH $$ $head\n", 0, 1);
    emit();
    $good = $size;
    # Without its beginning a file says nothing.
    unless ($whole) { truncate $frames, 0; $frames = undef }
}

sub compress {
    my $child = fork;
    return unless defined $child && $child == 0;
    open STDERR, '>', '/dev/null';
    exec $gzip, '-1', '-f', $_[0] or kill 9, $$;
}

sub machine {
    for my $name (@sys) {
        my $file = $sys{$name} ||= do { open my $opened, '<', $name; [$opened, []] };
        $b = '';
        sysread $file->[0], $b, 65536 if $file->[0] && sysseek $file->[0], 0, 0;
        my @lines = $b =~ /$lines/g;
        my $before = $file->[1];
        $out .= "-$name\n" if !$key && @lines != @$before && @$before;
        @$before = () if $key || @lines != @$before;
        for my $i (0 .. $#lines) {
            local $_ = $lines[$i];
            next if $_ eq $before->[$i];
            s/avg\S+ //g;
            s/  +/ /g;
            $out .= "$name:$_\n";
        }
        $file->[1] = \@lines;
    }
}

sub kernelLog {
    $out .= "kmsg-error:$logError\n" if $key && $logError;
    return unless $log;
    my $left = $n == 1 ? 1e9 : 1000;
    while ($left-- > 0) {
        my $got = sysread $log, $b, 8192;
        if (!defined $got) { last unless $! == 32; $out .= "kmsg:EPIPE\n"; next }
        last if $got == 0;
        $b =~ s/\n.*//s;
        $out .= "kmsg:$b\n";
        spill();
    }
}

${perlProcesses}

sub lines {
    my ($path, $text) = @_;
    chomp $text;
    $text =~ s/\n/\n$path:/g;
    $out .= "$path:$text\n";
}

sub slurp {
    my $text = '';
    open my $file, '<', $_[0] or return '';
    sysread $file, $text, 4096;
    return $text;
}

# ms of CLOCK_REALTIME (0) or CLOCK_MONOTONIC (1).
sub clock {
    my $time = "\0" x 16;
    return 0 if syscall $call, $_[0], $time;
    my ($s, $ns) = unpack 'qq', $time;
    return $s * 1000 + int $ns / 1e6;
}

# Seconds of a clock that is not set.
sub now {
    return clock(1) / 1000 if $call;
    return slurp('uptime') + 0;
}

sub put {
    my ($name, $text) = @_;
    open my $file, '>', "$dir/.$name.part" or return;
    print $file $text;
    close $file and rename "$dir/.$name.part", "$dir/$name";
}

sub fail { print STDERR "{\"problem\":\"$_[0]\"}\n"; exit 1 }
`;
