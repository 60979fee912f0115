// A module of the viewer's sources, for node.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const web = join(dirname(fileURLToPath(import.meta.url)), "../../server/web");

export async function loadSource(name) {
    const { buildSync } = createRequire(join(web, "package.json"))("esbuild");
    const { outputFiles } = buildSync({ entryPoints: [join(web, "src", name)], bundle: true, format: "esm", platform: "neutral", write: false });
    return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString("base64")}`);
}
