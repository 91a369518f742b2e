#include <getopt.h>
