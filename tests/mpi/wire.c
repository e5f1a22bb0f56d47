/* wire - a cable with a latency, for tests/mpi/hosts where the kernel has no netem
 *
 *     wire A B MICROSECONDS
 *
 * What comes in at one network device goes out at the other, that much later by the kernel's stamp of its arrival.
 * A process a direction: what comes meanwhile waits in the socket, and so the rate stays what it is.  Frames keep their
 * offload header, or those of 64 KiB that a sender leaves for the device to cut, and checksums, would be lost. */
#if !defined(_GNU_SOURCE)
#  define _GNU_SOURCE
#endif
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if !defined(PACKET_IGNORE_OUTGOING)
#  define PACKET_IGNORE_OUTGOING 23
#endif

static unsigned char frame[80 * 1024];

static void need(int ok, const char *what)
{
    if (ok) return;
    perror(what);
    exit(1);
}

static int plug(const char *device)
{
    const int one = 1, bytes = 64 << 20;
    struct sockaddr_ll at;
    const void *address = &at;
    struct packet_mreq all;
    int s = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));
    need(s >= 0, "wire: socket");
    memset(&at, 0, sizeof at);
    memset(&all, 0, sizeof all);
    at.sll_family = AF_PACKET;
    at.sll_protocol = htons(ETH_P_ALL);
    at.sll_ifindex = all.mr_ifindex = (int)if_nametoindex(device);
    all.mr_type = PACKET_MR_PROMISC;
    need(at.sll_ifindex > 0, device);
    need(setsockopt(s, SOL_PACKET, PACKET_VNET_HDR, &one, sizeof one) == 0, "wire: PACKET_VNET_HDR");
    need(setsockopt(s, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof one) == 0, "wire: PACKET_IGNORE_OUTGOING");
    need(setsockopt(s, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof one) == 0, "wire: SO_TIMESTAMPNS");
    need(bind(s, address, sizeof at) == 0, device);
    need(setsockopt(s, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof all) == 0, "wire: PACKET_MR_PROMISC");
    need(setsockopt(s, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) == 0 ||
         setsockopt(s, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes) == 0, "wire: SO_RCVBUF");
    return s;
}

static void wait_until(struct timespec t, long add_ns)
{
    struct timespec now, left;
    long long ns;
    clock_gettime(CLOCK_REALTIME, &now);   /* the clock of the stamps; a step of it is as short as the delay at most */
    ns = (long long)(t.tv_sec - now.tv_sec) * 1000000000 + (t.tv_nsec - now.tv_nsec) + add_ns;
    if (ns <= 0) return;
    if (ns > add_ns) ns = add_ns;
    left.tv_sec = (time_t)(ns / 1000000000);
    left.tv_nsec = (long)(ns % 1000000000);
    while (nanosleep(&left, &left) != 0 && errno == EINTR) { }
}

static void carry(int from, int to, long delay_ns)
{
    for (;;) {
        union { char bytes[256]; struct cmsghdr align; } control;
        struct iovec part;
        struct msghdr m;
        struct cmsghdr *c;
        struct timespec stamp;
        ssize_t n;
        memset(&m, 0, sizeof m);
        part.iov_base = frame;
        part.iov_len = sizeof frame;
        m.msg_iov = &part;
        m.msg_iovlen = 1;
        m.msg_control = control.bytes;
        m.msg_controllen = sizeof control.bytes;
        n = recvmsg(from, &m, 0);
        clock_gettime(CLOCK_REALTIME, &stamp);
        if (n <= 0 || (m.msg_flags & MSG_TRUNC)) continue;
        for (c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c))
            if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_TIMESTAMPNS)
                memcpy(&stamp, CMSG_DATA(c), sizeof stamp);
        wait_until(stamp, delay_ns);
        while (send(to, frame, (size_t)n, 0) < 0 && (errno == ENOBUFS || errno == EAGAIN || errno == EINTR)) usleep(20);
    }
}

int main(int argc, char **argv)
{
    int a, b;
    long delay_ns;
    if (argc != 4) {
        fprintf(stderr, "usage: wire A B MICROSECONDS\n");
        return 2;
    }
    a = plug(argv[1]);
    b = plug(argv[2]);
    delay_ns = (long)(1e3 * atof(argv[3]));
    prctl(PR_SET_TIMERSLACK, 1UL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (fork() == 0) {
        prctl(PR_SET_TIMERSLACK, 1UL);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        carry(b, a, delay_ns);
    }
    carry(a, b, delay_ns);
    return 0;
}
