/**
 * What the light sampler in perl (perl-sampler.ts) does with processes: it is a part of that program, and
 * works on what is declared there.
 */
export const perlProcesses = String.raw`# Of a process is kept: the files stat and statm, its stat as read and its head and figures as told, the
# ticks since it was met, its command line and status, whether it is a browser's, when its PSS is due.
sub processes {
    rewinddir $list;
    my %gone = %p;
    for my $pid (readdir $list) {
        next if $kernel{$pid} || $pid !~ /^[1-9]/;
        my $p = delete $gone{$pid};
        if ($p && !readStat($p, $pid)) { drop($pid); $p = undef }
        unless ($p) {
            $p = {age => 0};
            next unless readStat($p, $pid);
            $p{$pid} = $p;
        }
        my $isNew = $key;
        if ($key || $b ne $p->{raw}) {
            $p->{raw} = $b;
            my $close = rindex $b, ')';
            my @f = split ' ', substr($b, $close + 2), 23;
            if ($f[6] & 0x200000) { $kernel{$pid} = 1; delete $p{$pid}; next }  # PF_KTHREAD
            my $head = substr($b, 0, $close + 1) . " $f[1] $f[6] $f[19]";
            if ($key || $head ne $p->{head}) {
                $isNew = 1;
                $p->{head} = $head;
                lines("$pid/stat", substr($b, 0, $close + 2) . join ' ', @f[0 .. 21]);
            }
            $p->{rss} = $f[21];
            $p->{figures} = "$f[0] $f[9] $f[11] $f[12] $f[17] $f[21]";
        }
        command($p, $pid, $isNew) if $isNew || $p->{age} < 3;
        $p->{age}++;
        my $figures = $p->{figures};
        if ($p->{member}) {
            $figures .= " $1" if readKept($p, 'statm', "$pid/statm") && $b =~ /^(\d+ \d+ \d+)/;
            status($p, $pid) if $isNew || ($n + $pid) % 8 == 0;
        }
        $out .= "$pid $figures\n" if $isNew ? $p->{member} : $figures ne $p->{told};
        $p->{told} = $figures;
        spill();
    }
    drop($_) for keys %gone;
}

sub drop {
    delete $p{$_[0]};
    $out .= "-$_[0]\n";
}

sub readStat { readKept($_[0], 'stat', "$_[1]/stat") }

# Kept open, but for what is beyond the limit of files. A kept file of a process that is gone gives
# nothing, also when its pid is another's by now.
sub readKept {
    my ($p, $name, $path) = @_;
    $b = '';
    if (my $kept = $p->{$name}) { sysseek $kept, 0, 0; return sysread $kept, $b, 4096 }
    open my $file, '<', $path or return 0;
    $p->{$name} = $file if fileno($file) < $most - 8;
    return sysread $file, $b, 4096;
}

# As it was when the process was met, and again while a renderer says that it is a zygote.
sub command {
    my ($p, $pid, $isNew) = @_;
    my $line = slurp("$pid/cmdline");
    return if !$isNew && $line eq $p->{line};
    if ($p->{age} < 3) { $p->{line} = $line } else { delete $p->{line} }
    lines("$pid/cmdline", $line) if length $line;
    my $exe = readlink "$pid/exe";
    lines("$pid/exe", $exe) if defined $exe;
    my $wasMember = $p->{member};
    $p->{member} = "$exe $line $p->{head}" =~ /chrom|headless_shell|msedge|brave|--type=/i ? 1 : 0;
    $p->{pssDue} = $n + 2 if $p->{member} && !$wasMember;
    return unless $p->{member};
    lines("$pid/oom_score_adj", slurp("$pid/oom_score_adj"));
    my $groups = join "\n", slurp("$pid/cgroup") =~ /^(?:\d+:[^:]*\bmemory\b[^:]*|0:):.*/mg;
    lines("$pid/cgroup", $groups) if $groups ne '';
}

sub status {
    my ($p, $pid) = @_;
    my $lines = join "\n", slurp("$pid/status") =~ /^(?:VmHWM|RssShmem|VmSwap):.*/mg;
    return if $lines eq $p->{status} && !$key;
    $p->{status} = $lines;
    $lines =~ s/[ \t]+/ /g;
    lines("$pid/status", $lines) if $lines ne '';
}

# Walks the page tables: 16 us for a MiB. A third of a millisecond of it a second, the longest due first.
sub pss {
    $purse += 0.35 * $every if $purse < 20;
    return if $purse <= 0;
    for my $pid (sort { $p{$a}{pssDue} <=> $p{$b}{pssDue} } grep { $p{$_}{member} && $p{$_}{pssDue} <= $n } keys %p) {
        my $cost = $p{$pid}{rss} * 4096 / 1048576 * 0.016;
        $purse -= $cost > 0.3 ? $cost : 0.3;
        $p{$pid}{pssDue} = $n + 60 / $every;
        my $rollup = join "\n", slurp("$pid/smaps_rollup") =~ /^(?:Pss|Pss_Anon|Pss_Shmem|Swap):.*/mg;
        $rollup =~ s/ +/ /g;
        lines("$pid/smaps_rollup", $rollup) if $rollup ne '';
        last if $purse <= 0;
    }
}`;
