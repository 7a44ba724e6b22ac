#ifndef APP_H
#define APP_H
int shown(char *a);
static int hidden(void);
extern int value;
struct opaque;
typedef int number;
#endif
