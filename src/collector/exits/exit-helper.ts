/**
 * A perl program that tells on its stdout how every process of the machine ends. Node has no
 * netlink sockets; `perl-base`, which every Debian and Ubuntu has, needs no module for them.
 *
 * It listens to the kernel's process connector (uapi/linux/cn_proc.h and, for the request and its
 * answer, drivers/connector/cn_proc.c) and prints lines:
 *
 *     ready                      from here on every end is told
 *     exit PID STATUS NS         wait status, CLOCK_MONOTONIC in ns
 *     overrun                    the kernel dropped messages that were not fetched in time
 *     failed STEP ERRNO          and it ends; errno 0: no answer
 *
 * What costs is waking up, here and in the recorder. So a filter in the kernel passes nothing but
 * ends of whole processes, and after each batch it sleeps for a second, or until it gets a byte on
 * its stdin. It ends when its stdin is closed, which the death of the recorder does, and on SIGTERM.
 * Ctrl-C is for the recorder, which still wants to hear how its browser ends.
 */
export const exitHelperScript = String.raw`
use strict;
$0 = 'headroom-exits';
$| = 1;
$SIG{INT} = $SIG{HUP} = 'IGNORE';

sub fail { printf "failed %s %d\n", @_; exit 1 }

# Offsets in a message: nlmsghdr 0, cn_msg 16 (ack 28), proc_event 36 (what 36, time 44, pid 52,
# tgid 56, exit status 60). PROC_EVENT_NONE is the answer to a request.
my ($exit, $answer) = (0x80000000, 0);

socket my $kernel, 16, 2, 11 or fail 'socket', $!;         # AF_NETLINK, SOCK_DGRAM, NETLINK_CONNECTOR

# Classic BPF, which loads words as big-endian ones.
sub swapped { unpack 'N', pack 'L', $_[0] }
my $filter = join '', map { pack 'SCCL', @$_ } (
    [0x20, 0, 0, 36],                                      # A = what
    [0x15, 4, 0, swapped($answer)],                        # an answer: pass
    [0x15, 0, 4, swapped($exit)],                          # no exit: drop
    [0x20, 0, 0, 52],                                      # A = pid
    [0x07, 0, 0, 0],                                       # X = A
    [0x20, 0, 0, 56],                                      # A = tgid
    [0x1d, 0, 1, 0],                                       # the same: a whole process
    [0x06, 0, 0, 0xffffffff],                              # pass
    [0x06, 0, 0, 0],                                       # drop
);
setsockopt $kernel, 1, 26, pack 'S x![P] P', length($filter) / 8, $filter # SO_ATTACH_FILTER
    or fail 'filter', $!;
setsockopt $kernel, 1, 33, pack 'l', 2 << 20;              # SO_RCVBUFFORCE: 2,500 messages fit

bind $kernel, pack 'SSLL', 16, 0, 0, 1 or fail 'bind', $!; # group CN_IDX_PROC
my $listen = pack 'LSSLL LLLLSS L', 40, 3, 0, 0, 0, 1, 1, 0, $$, 4, 0, 1;
defined send $kernel, $listen, 0 or fail 'listen', $!;

my ($input, $either) = ('', '');
vec($input, 0, 1) = 1;
vec($either, $_, 1) = 1 for 0, fileno $kernel;
my ($ready, $patience) = (0, time + 2);

for (;;) {
    my $readable = $either;
    select $readable, undef, undef, $ready ? undef : 1;
    exit 0 if vec($readable, 0, 1) && !sysread STDIN, my $ignored, 512;
    my ($lines, $isEmpty) = ('', 0);
    until ($isEmpty || length $lines > 16384) {
        if (defined recv $kernel, my $message, 256, 0x40) { # MSG_DONTWAIT
            my ($answers, $what, $ns, $pid, $status) = unpack 'x28 L x4 L x4 Q L x4 L', $message;
            if ($what == $exit) {
                $lines .= "exit $pid $status $ns\n" if $ready;
            } elsif ($answers == $$ + 1) {                 # the fourth word is then an errno
                fail 'listen', $pid if $pid;
                $ready = 1;
                $lines .= "ready\n";
            }
        } elsif ($! == 105) {                              # ENOBUFS
            $lines .= "overrun\n";
        } else {
            $isEmpty = 1;
        }
    }
    # Without an answer the messages are those of other listeners, with pids of another namespace.
    fail 'answer', 0 if !$ready && time >= $patience;
    print $lines;
    next unless $isEmpty;
    my $pause = $input;
    select $pause, undef, undef, 1;
}
`;
