/* The champions known when this was written, for game folders whose archives lack the game's own records. Ids
 * are permanent, so the table can only be too short. */
#include "base/str.h"
#include "game/game.h"

typedef struct champion_row {
    uint32_t id;
    const char *alias; /* folder name */
    const char *name;  /* as the game spells it */
} champion_row;

static const champion_row table[] = {
    {1, "annie", "Annie"},
    {2, "olaf", "Olaf"},
    {3, "galio", "Galio"},
    {4, "twistedfate", "TwistedFate"},
    {5, "xinzhao", "XinZhao"},
    {6, "urgot", "Urgot"},
    {7, "leblanc", "Leblanc"},
    {8, "vladimir", "Vladimir"},
    {9, "fiddlesticks", "FiddleSticks"},
    {10, "kayle", "Kayle"},
    {11, "masteryi", "MasterYi"},
    {12, "alistar", "Alistar"},
    {13, "ryze", "Ryze"},
    {14, "sion", "Sion"},
    {15, "sivir", "Sivir"},
    {16, "soraka", "Soraka"},
    {17, "teemo", "Teemo"},
    {18, "tristana", "Tristana"},
    {19, "warwick", "Warwick"},
    {20, "nunu", "Nunu"},
    {21, "missfortune", "MissFortune"},
    {22, "ashe", "Ashe"},
    {23, "tryndamere", "Tryndamere"},
    {24, "jax", "Jax"},
    {25, "morgana", "Morgana"},
    {26, "zilean", "Zilean"},
    {27, "singed", "Singed"},
    {28, "evelynn", "Evelynn"},
    {29, "twitch", "Twitch"},
    {30, "karthus", "Karthus"},
    {31, "chogath", "Chogath"},
    {32, "amumu", "Amumu"},
    {33, "rammus", "Rammus"},
    {34, "anivia", "Anivia"},
    {35, "shaco", "Shaco"},
    {36, "drmundo", "DrMundo"},
    {37, "sona", "Sona"},
    {38, "kassadin", "Kassadin"},
    {39, "irelia", "Irelia"},
    {40, "janna", "Janna"},
    {41, "gangplank", "Gangplank"},
    {42, "corki", "Corki"},
    {43, "karma", "Karma"},
    {44, "taric", "Taric"},
    {45, "veigar", "Veigar"},
    {48, "trundle", "Trundle"},
    {50, "swain", "Swain"},
    {51, "caitlyn", "Caitlyn"},
    {53, "blitzcrank", "Blitzcrank"},
    {54, "malphite", "Malphite"},
    {55, "katarina", "Katarina"},
    {56, "nocturne", "Nocturne"},
    {57, "maokai", "Maokai"},
    {58, "renekton", "Renekton"},
    {59, "jarvaniv", "JarvanIV"},
    {60, "elise", "Elise"},
    {61, "orianna", "Orianna"},
    {62, "monkeyking", "MonkeyKing"},
    {63, "brand", "Brand"},
    {64, "leesin", "LeeSin"},
    {67, "vayne", "Vayne"},
    {68, "rumble", "Rumble"},
    {69, "cassiopeia", "Cassiopeia"},
    {72, "skarner", "Skarner"},
    {74, "heimerdinger", "Heimerdinger"},
    {75, "nasus", "Nasus"},
    {76, "nidalee", "Nidalee"},
    {77, "udyr", "Udyr"},
    {78, "poppy", "Poppy"},
    {79, "gragas", "Gragas"},
    {80, "pantheon", "Pantheon"},
    {81, "ezreal", "Ezreal"},
    {82, "mordekaiser", "Mordekaiser"},
    {83, "yorick", "Yorick"},
    {84, "akali", "Akali"},
    {85, "kennen", "Kennen"},
    {86, "garen", "Garen"},
    {89, "leona", "Leona"},
    {90, "malzahar", "Malzahar"},
    {91, "talon", "Talon"},
    {92, "riven", "Riven"},
    {96, "kogmaw", "KogMaw"},
    {98, "shen", "Shen"},
    {99, "lux", "Lux"},
    {101, "xerath", "Xerath"},
    {102, "shyvana", "Shyvana"},
    {103, "ahri", "Ahri"},
    {104, "graves", "Graves"},
    {105, "fizz", "Fizz"},
    {106, "volibear", "Volibear"},
    {107, "rengar", "Rengar"},
    {110, "varus", "Varus"},
    {111, "nautilus", "Nautilus"},
    {112, "viktor", "Viktor"},
    {113, "sejuani", "Sejuani"},
    {114, "fiora", "Fiora"},
    {115, "ziggs", "Ziggs"},
    {117, "lulu", "Lulu"},
    {119, "draven", "Draven"},
    {120, "hecarim", "Hecarim"},
    {121, "khazix", "Khazix"},
    {122, "darius", "Darius"},
    {126, "jayce", "Jayce"},
    {127, "lissandra", "Lissandra"},
    {131, "diana", "Diana"},
    {133, "quinn", "Quinn"},
    {134, "syndra", "Syndra"},
    {136, "aurelionsol", "AurelionSol"},
    {141, "kayn", "Kayn"},
    {142, "zoe", "Zoe"},
    {143, "zyra", "Zyra"},
    {145, "kaisa", "Kaisa"},
    {147, "seraphine", "Seraphine"},
    {150, "gnar", "Gnar"},
    {154, "zac", "Zac"},
    {157, "yasuo", "Yasuo"},
    {161, "velkoz", "Velkoz"},
    {163, "taliyah", "Taliyah"},
    {164, "camille", "Camille"},
    {166, "akshan", "Akshan"},
    {200, "belveth", "Belveth"},
    {201, "braum", "Braum"},
    {202, "jhin", "Jhin"},
    {203, "kindred", "Kindred"},
    {221, "zeri", "Zeri"},
    {222, "jinx", "Jinx"},
    {223, "tahmkench", "TahmKench"},
    {233, "briar", "Briar"},
    {234, "viego", "Viego"},
    {235, "senna", "Senna"},
    {236, "lucian", "Lucian"},
    {238, "zed", "Zed"},
    {240, "kled", "Kled"},
    {245, "ekko", "Ekko"},
    {246, "qiyana", "Qiyana"},
    {254, "vi", "Vi"},
    {266, "aatrox", "Aatrox"},
    {267, "nami", "Nami"},
    {268, "azir", "Azir"},
    {350, "yuumi", "Yuumi"},
    {360, "samira", "Samira"},
    {412, "thresh", "Thresh"},
    {420, "illaoi", "Illaoi"},
    {421, "reksai", "RekSai"},
    {427, "ivern", "Ivern"},
    {429, "kalista", "Kalista"},
    {432, "bard", "Bard"},
    {497, "rakan", "Rakan"},
    {498, "xayah", "Xayah"},
    {516, "ornn", "Ornn"},
    {517, "sylas", "Sylas"},
    {518, "neeko", "Neeko"},
    {523, "aphelios", "Aphelios"},
    {526, "rell", "Rell"},
    {555, "pyke", "Pyke"},
    {711, "vex", "Vex"},
    {777, "yone", "Yone"},
    {799, "ambessa", "Ambessa"},
    {800, "mel", "Mel"},
    {804, "yunara", "Yunara"},
    {875, "sett", "Sett"},
    {876, "lillia", "Lillia"},
    {887, "gwen", "Gwen"},
    {888, "renata", "Renata"},
    {893, "aurora", "Aurora"},
    {895, "nilah", "Nilah"},
    {897, "ksante", "KSante"},
    {901, "smolder", "Smolder"},
    {902, "milio", "Milio"},
    {904, "zaahen", "Zaahen"},
    {910, "hwei", "Hwei"},
    {950, "naafiri", "Naafiri"},
};

static const champion_row *by_id(uint32_t id)
{
    size_t low = 0;
    size_t high = RIFT_COUNT(table);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (table[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < RIFT_COUNT(table) && table[low].id == id ? &table[low] : NULL;
}

rift_str rift_champion_alias(uint32_t id)
{
    const champion_row *row = by_id(id);
    return row != NULL ? rift_str_c(row->alias) : (rift_str){0};
}

rift_str rift_champion_name(uint32_t id)
{
    const champion_row *row = by_id(id);
    return row != NULL ? rift_str_c(row->name) : (rift_str){0};
}

uint32_t rift_champion_id(rift_str alias)
{
    for (size_t i = 0; i < RIFT_COUNT(table); i++) {
        if (rift_str_eq_nocase(alias, rift_str_c(table[i].alias)))
            return table[i].id;
    }
    return 0;
}

size_t rift_champion_count(void)
{
    return RIFT_COUNT(table);
}

uint32_t rift_champion_at(size_t index)
{
    return index < RIFT_COUNT(table) ? table[index].id : 0;
}
