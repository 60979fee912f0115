/* bc7_blocks.h - random blocks of every mode and the texels that they stand for, worked out by a decoder that shares no
 * code with ours: written in another language from formats/tex.md, and equal to the one of Pillow 9.4 on 4,000 random
 * blocks of all modes. Four blocks a mode, then one that names no mode. */
#ifndef RIFT_TESTS_BC7_BLOCKS_H
#define RIFT_TESTS_BC7_BLOCKS_H

static const struct bc7_block {
    const char *block;  /* 16 bytes */
    const char *texels; /* 16 texels, R G B A */
} bc7_blocks[] = {
    {"d100b0cf09d4127277b45c5fe1cf63c9", "3ea643ff4dbe2fff004294ff3ea643ff1e736dff6bef08ff0f5a80ff004294ff"
                                         "3c4abaff5063b8ff84a5b5ff0808bdffb07b65ffc96b42ffc96b42ffb07b65ff"},
    {"95e6738881988ac229dc29cfb163b526", "41ab3cff41ab3cff390818ff41ab3cff9cce4affff4aefffd582a9ffaabb61ff"
                                         "33442eff4050c9ff36474cff3d4eabff3d4eabff4050c9ff3b4b8cff314210ff"},
    {"571a0885aecf175963dc7d45df5a6ed9", "715aa3ff715aa3ff379742ff84e731ffa96bb9ffde7bceff11d098ff5ed581ff"
                                         "a96bb9ffa96bb9ff2ea557ff5ed581ff715aa3ff3c4a8eff24b46eff5ed581ff"},
    {"ed0a55cfc9f8f93364df87be0b3cd253", "73e7f7ff658cc2ff82d5f6ff98ead9ff6176b6ff68a5d1ffa6f8c6ffadffbdff"
                                         "a8c027ff9a951fff9fa422ff9fa422ffa8c027ff9a951fff95871dff91791aff"},
    {"0af5b04a3a0c299f477371ad002ae806", "d7eb7eff482870ff9139b6ff8236a8ff47ce7bffad40d1ffad40d1ffad40d1ff"
                                         "47ce7bff9139b6ffad40d1ff9139b6ff0ec37aff562b7effad40d1ffad40d1ff"},
    {"524d66a5b18480a00dacb0f91fbc3313", "34c581ff4890a6ff784949ff855864ff6448d9ff6448d9ff6448d9ff582000ff"
                                         "507db4ff6448d9ff5d5acdff3bb38dff4890a6ff5d5acdff507db4ff34c581ff"},
    {"e6cab9694c3b1480b069cc466da37279", "596803ff6a116aff691269ff384301ff495502ff7c9006ff691269ff691269ff"
                                         "384301ff495502ff691269ff6a116aff6a0f6aff384301ff9db508ff6b0d6bff"},
    {"5e0dd7cc03fc995272b62fcc19a47769", "4f5a3bff6186a6ff367e9fff778aa9ff6aaa2bff3e2745ff778aa9ff367e9fff"
                                         "474140ff474140ffcf9bb7ffa493b0ff4f5a3bff3e2745ff619030ff4c82a2ff"},
    {"940a52ab8136399979f404894a7b18a0", "317b5fff296b18ff317b5fff429cefff576271ff5a2184ff48ac31ff6b9c21ff"
                                         "52e74aff5a2184ff6b9c21ff6b9c21ff52e74aff52e74aff48ac31ff48ac31ff"},
    {"3cdee2444f255673f5b33eafca612854", "703cccff7b52ffff216b9cffa660d4ff7b52ffff652696ffa660d4ffe75aefff"
                                         "d673bdffc3869affa660d4ffe75aefffaf9a75ffaf9a75ff6265b7ffe75aefff"},
    {"c4e7416b6b3ae6bdb01a7f05bdca9184", "7c7784ff5abdbdff52b2d0ff59465aff59465aff429cf7ff52b2d0ff391831ff"
                                         "debd10ffd99774ffdebd10ffdbaa41ffd99774ffdebd10ffdebd10ffdbaa41ff"},
    {"9495d6719eacafbb463fd9ef5bb0a967", "7dd1b8ff7dd1b8ff7dd1b8ff9cbdbdffd6bd94ffbea5b2ffbea5b2ff39317bff"
                                         "52ced6ff7dd1b8ff7dd1b8ff39317bff8c73efffd6bd94ff8c73efff9cbdbdff"},
    {"7846af4d61a12e4dc331de2bb9cf1d3e", "a20ae0ff84d2aeffa654a6ff84d2aeff84d2aeffa654a6ff8cc3b3ffaeea30ff"
                                         "8cc3b3ffaeea30ff9ba5bdffa20ae0ffaeea30ff84d2aeffa654a6ff9ba5bdff"},
    {"1808c28f8091a33a239e2c8361bc7015", "048c10ff048c10ffc3399fff1f5559ff845470ffc3399fff43713fff157d40ff"
                                         "048c10ff845470ffc3399fff0ca625ff845470ff845470ff048c10ff1f5559ff"},
    {"98609f0b9329050e84ac52186bb3b1c3", "b04c42ffaa4e65ff4d0361ff3b4177ffaa4e65ff3b4177ff29838fff4d0361ff"
                                         "17c1a5ff3b4177ff29838fff4d0361ff29838fff17c1a5ff3b4177ff29838fff"},
    {"b8611a8934368ae1e462430b8b85bc41", "30b072ff29ab6dff133187ff94364bff29ab6dff523469ff133187ff21a767ff"
                                         "30b072ffd3392dffd3392dff21a767ff523469ff133187ff30b072ff29ab6dff"},
    {"909c283a05c774f7d3422cc40327dbe7", "af69755c598e3745e7529c30af69754575824b3021a51045e7529c30e7529c30"
                                         "21a5105c75824b4575824b45598e375c598e375c21a51071cb5e884521a51071"},
    {"f0703dbfc008cc8f68bac79596c7e43b", "72af5f34847b5f5a5af72f00789e00417e8c004d66d45f1966d48e196cc35f26"
                                         "5af78e00847b5f5a72af0034789e8e4160e65f0d5af7000060e65f0d7e8c004d"},
    {"50c8d97dfb80d4ea7a2f80070726ed92", "520ccdc2630cdfd1631ddfd15214cdc2520ccdc2521dcdc2730fefde520ccdc2"
                                         "521dcdc27318efde7318efde631ddfd1731defde521acdc25218cdc24218bdb5"},
    {"f0152b9a27b0dacae137556a20c58fcc", "b46900c0b469aec0b15e75c7bf8e39aac29939a3ad5239cead5275ceb15eaec7"
                                         "bf8e00aaad5200cec6a5ae9cc6a5ae9cad52aeceb15e75c7b87539b9c29975a3"},
    {"205c5c45a911f387e7796c3f13a28647", "a14d64f3b92a34fc7095c5f37095c5fcb92a34ea7095c5fc7095c5eab92a34ea"
                                         "887295eaa14d64f37095c5fc887295ea7095c5e17095c5f3a14d64fc887295f3"},
    {"200b84c208e046776c596066a9c7fa55", "143c3dd1143c3d58108db95812657c581614001d108db99612657cd11614001d"
                                         "1614005816140058108db91d1614001d108db99616140096108db99612657c96"},
    {"a0d50862a635ab29ae9203a29cb010e8", "7e6abd2c7e8abd2c7e75bd2c7e80bd2c7e6abd2c4f6ac54aab8ab5102280cd66"
                                         "7e6abd2cab6ab510ab75b510ab6ab5107e6abd2cab80b5107e80bd2c7e8abd2c"},
    {"a03af8cac9d01809bbe8fadfa8ed1746", "74461856e199349d9899216d9899216d746f185698c2216de199349d98c2216d"
                                         "98c2216de16f349de16f349de146349de199349de16f349dbd462b86986f216d"},
    {"c0c7d320c7cf5b996af24c6937771f28", "4954ed4e5364ed4a312bef559ee4e63284b8e83a4146ee506a8dea435364ed4a"
                                         "5b72ec483939ef535b72ec485b72ec489ee4e632271af058627feb45312bef55"},
    {"c06af513155371f0b3200ae47606ecb4", "ab45c378ab88b0c3ab3fc571ab4dc181ab82b2bcab3fc571ab5abe8fab9dabda"
                                         "ab68ba9fab6eb8a6ab68ba9fab3fc571ab8fafcaab9dabdaab5abe8fab88b0c3"},
    {"407b5f7cee64107e8ffa754bd8540c20", "f3c9377ff4ca368ef6cb35affbcf33fdf1c8385ef3c9377ff7cc35bef0c7384f"
                                         "f4ca368ef9cd34dcf0c7384ff1c8385ef8cd34cdecc43a10ecc43a10eec63931"},
    {"c021017d7ff792cf630b49494a6eb56d", "7fd3d99454ddb6982ae7969c87d1df933ce3a49a66d9c4963ce3a49a66d9c496"
                                         "32e59c9b66d9c49611ed819e54ddb6985edbbe972ae7969c1beb899d54ddb698"},
    {"80b85543589c9959395703c91d5824e8", "96bc41861061cb201ccfcf86b6b634ae1ccfcf861061cb2075c1505cb6b634ae"
                                         "1485cc411ccfcf8696bc4186b6b634ae1ccfcf8696bc418655c75d3418abce65"},
    {"80484a919bc5ed440dc52efd846e8231", "4d4181ae4d349e8e4d349e8e4d4181ae4d5d45ef4d4181ae4d5d45ef4d349e8e"
                                         "4d4181ae4d349e8e4d349e8ee3b241f34d349e8e4d5062cfa7d35cb28ae36992"},
    {"809b57ba6f28871d2c5b511dfe8f1d2c", "bebe7f7d51821810dc6b8599ef1ccf7551821810ef1ccf75d39261aa869f4b45"
                                         "bebe7f7def1ccf75dc6b8599f3dbb2b2d39261aaef1ccf75869f4b45f3dbb2b2"},
    {"801a54e8d68a02bc14e297651d50b0c8", "75ad97adba0882924545a6cf86ae86c786ae86c74545a6cf6b319abb75ad97ad"
                                         "86ae86c74545a6cfba08829262aba99386ae86c7941c8ea64545a6cf51aaba79"},
    {"000102030405060708090a0b0c0d0e0f", "0000000000000000000000000000000000000000000000000000000000000000"
                                         "0000000000000000000000000000000000000000000000000000000000000000"},
};

#endif
