/* Copying, comparing and filling memory, for the published binary of Linux.
 *
 * It is static, so these come from musl, which on x86-64 copies with `rep movsq` and compares byte by byte everywhere: short
 * pieces, which are most of what an index is made of, take many times what they take with glibc. Here short ones are two loads
 * that may overlap, and long ones go 64 bytes at a time. No instruction beyond the baseline of the architecture is used.
 *
 * For other targets the same code gets other names, is tested, and is not linked.
 */
#include <stddef.h>
#include <stdint.h>

#ifndef NAME
#define NAME(name) name
#endif

typedef uint16_t two __attribute__((may_alias, aligned(1)));
typedef uint32_t four __attribute__((may_alias, aligned(1)));
typedef uint64_t eight __attribute__((may_alias, aligned(1)));
typedef uint8_t sixteen __attribute__((vector_size(16), may_alias, aligned(1)));

/* The first and the last of each size cover everything in between; all are loaded before any is stored. */
#define ENDS(type)                                                                                                          \
    do {                                                                                                                    \
        type first = *(const type *)from, last = *(const type *)(from + length - sizeof(type));                             \
        *(type *)to = first;                                                                                                \
        *(type *)(to + length - sizeof(type)) = last;                                                                       \
    } while (0)

#define LOAD(name, at) sixteen name = *(const sixteen *)(at)
#define STORE(name, at) *(sixteen *)(at) = name

static inline void copy_short(unsigned char *to, const unsigned char *from, size_t length) {
    if (length >= 8) {
        ENDS(eight);
    } else if (length >= 4) {
        ENDS(four);
    } else if (length >= 2) {
        ENDS(two);
    } else if (length) {
        *to = *from;
    }
}

static inline void copy_middle(unsigned char *to, const unsigned char *from, size_t length) {
    unsigned char *end = to + length;
    const unsigned char *last = from + length;
    LOAD(a, from);
    LOAD(z, last - 16);
    if (length > 32) {
        LOAD(b, from + 16);
        LOAD(y, last - 32);
        if (length > 64) {
            LOAD(c, from + 32);
            LOAD(d, from + 48);
            LOAD(w, last - 64);
            LOAD(x, last - 48);
            STORE(c, to + 32);
            STORE(d, to + 48);
            STORE(w, end - 64);
            STORE(x, end - 48);
        }
        STORE(b, to + 16);
        STORE(y, end - 32);
    }
    STORE(a, to);
    STORE(z, end - 16);
}

/* More than 128 bytes, upwards: right unless the destination lies within the source. */
static inline void copy_up(unsigned char *to, const unsigned char *from, size_t length) {
    unsigned char *end = to + length;
    const unsigned char *last = from + length;
    LOAD(w, last - 64);
    LOAD(x, last - 48);
    LOAD(y, last - 32);
    LOAD(z, last - 16);
    for (; to < end - 64; to += 64, from += 64) {
        LOAD(a, from);
        LOAD(b, from + 16);
        LOAD(c, from + 32);
        LOAD(d, from + 48);
        STORE(a, to);
        STORE(b, to + 16);
        STORE(c, to + 32);
        STORE(d, to + 48);
    }
    STORE(w, end - 64);
    STORE(x, end - 48);
    STORE(y, end - 32);
    STORE(z, end - 16);
}

/* The same, downwards. */
static inline void copy_down(unsigned char *to, const unsigned char *from, size_t length) {
    unsigned char *end = to + length;
    const unsigned char *last = from + length;
    LOAD(a, from);
    LOAD(b, from + 16);
    LOAD(c, from + 32);
    LOAD(d, from + 48);
    for (; end > to + 64; end -= 64, last -= 64) {
        LOAD(w, last - 64);
        LOAD(x, last - 48);
        LOAD(y, last - 32);
        LOAD(z, last - 16);
        STORE(w, end - 64);
        STORE(x, end - 48);
        STORE(y, end - 32);
        STORE(z, end - 16);
    }
    STORE(a, to);
    STORE(b, to + 16);
    STORE(c, to + 32);
    STORE(d, to + 48);
}

void *NAME(memmove)(void *to, const void *from, size_t length) {
    if (length <= 16) {
        copy_short(to, from, length);
    } else if (length <= 128) {
        copy_middle(to, from, length);
    } else if ((uintptr_t)to - (uintptr_t)from >= length) {
        copy_up(to, from, length);
    } else {
        copy_down(to, from, length);
    }
    return to;
}

void *NAME(memcpy)(void *restrict to, const void *restrict from, size_t length) {
    if (length <= 16) {
        copy_short(to, from, length);
    } else if (length <= 128) {
        copy_middle(to, from, length);
    } else {
        copy_up(to, from, length);
    }
    return to;
}

void *NAME(memset)(void *to, int value, size_t length) {
    unsigned char *start = to, *end = start + length;
    uint64_t all = 0x0101010101010101u * (unsigned char)value;
    if (length < 16) {
        if (length >= 8) {
            *(eight *)start = all;
            *(eight *)(end - 8) = all;
        } else if (length >= 4) {
            *(four *)start = (uint32_t)all;
            *(four *)(end - 4) = (uint32_t)all;
        } else if (length >= 2) {
            *(two *)start = (uint16_t)all;
            *(two *)(end - 2) = (uint16_t)all;
        } else if (length) {
            *start = (unsigned char)all;
        }
        return to;
    }
    unsigned char byte = (unsigned char)value;
    sixteen a = {byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte};
    for (; (size_t)(end - start) > 64; start += 64) {
        STORE(a, start);
        STORE(a, start + 16);
        STORE(a, start + 32);
        STORE(a, start + 48);
    }
    for (; end - start > 16; start += 16) {
        STORE(a, start);
    }
    STORE(a, end - 16);
    return to;
}

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "what comes first has to count most"
#endif

static inline uint64_t in_order(const unsigned char *at) {
    return __builtin_bswap64(*(const eight *)at);
}

static inline uint64_t four_in_order(const unsigned char *at) {
    return __builtin_bswap32(*(const four *)at);
}

int NAME(memcmp)(const void *left, const void *right, size_t length) {
    const unsigned char *a = left, *b = right;
    if (length >= 8) {
        size_t at = 0, last = length - 8;
        for (; last - at >= 32; at += 32) {
            uint64_t differ = 0;
            for (size_t next = at; next < at + 32; next += 8) {
                differ |= *(const eight *)(a + next) ^ *(const eight *)(b + next);
            }
            if (differ) {
                break;
            }
        }
        for (; at < last; at += 8) {
            uint64_t x = in_order(a + at), y = in_order(b + at);
            if (x != y) {
                return x < y ? -1 : 1;
            }
        }
        uint64_t x = in_order(a + last), y = in_order(b + last);
        return (x > y) - (x < y);
    }
    if (length >= 4) {
        uint64_t x = four_in_order(a), y = four_in_order(b);
        uint64_t u = four_in_order(a + length - 4), v = four_in_order(b + length - 4);
        x = x << 32 | u;
        y = y << 32 | v;
        return (x > y) - (x < y);
    }
    for (size_t at = 0; at < length; at++) {
        if (a[at] != b[at]) {
            return a[at] - b[at];
        }
    }
    return 0;
}

int NAME(bcmp)(const void *left, const void *right, size_t length) {
    return NAME(memcmp)(left, right, length);
}
