#include <stdio.h>
#include "app.h"

static int hidden(void) { return 0; }
int forward(int a);

/* strcpy(a, b) */
int shown(char *a) {
    strcpy(a, "secret");
    if (a) { while (1) { switch (*a) { case 1: break; default: break; } } }
    else if (!a) { }
    system("secret");
    object->system(a);
    printf("strcpy(a, b)");
    return a ? 1 : 0;
}

struct point { int x; };
typedef struct { int a; } anonymous;
enum colour { RED };
int main(void) { return 0; }
