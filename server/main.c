#include "app/app.h"

int main(int argc, char **argv)
{
    static const rift_app_hooks hooks = {.bake = rift_bake, .describe = rift_describe};
    return rift_app_main(argc, argv, &hooks);
}
