// What goes wrong is a sentence.
import { at, BROKEN, BROKEN_FAILS, check, difference, equal, inViewer, MANY_JOINTS, open, panel, picture, sentence, SKIN } from "./common.mjs";

// The server goes away while the page is open: what is loaded plays on, what is asked for next is a sentence.
export async function gone({ page, start, expect }) {
    expect(/ERR_CONNECTION_REFUSED/);
    const daemon = await start("gone");
    await open(page, daemon, `${SKIN}?clip=Idle1`);
    await daemon.stop();
    await inViewer(page, (v) => v.playAnimation("Run"));
    equal("what is loaded plays on", await inViewer(page, (v) => [v.alone.name, v.isPaused]), ["Run", false]);
    await inViewer(page, (v) => v.setAttribute("skin", "9001002"));
    await page.locator("rift-viewer .message p").waitFor();
    check("and the next is explained", /cannot be reached. Is riftbaked running/.test(await sentence(page)), await sentence(page));
    check("with a way on", await page.getByRole("button", { name: "Try again" }).isVisible());
}

export async function faults({ page, daemon, listenTo, expect }) {
    expect(BROKEN_FAILS, /status of 404 .*(424242|nothing\.glb)$/, /status of 400 .*%25E0/, /elsewhere\.invalid\/x\.glb/, /ERR_FAILED/, /Error creating WebGL context/);
    const refused = async (place, words) => {
        await page.goto("about:blank");
        await page.goto(`${daemon.url}/#/${place}`);
        await page.locator("rift-viewer .message p").waitFor();
        const said = await sentence(page);
        check(`${place} is explained`, words.test(said) && said.length > 40, said);
    };
    await refused("424242", /no such skin.*gallery/);
    await refused(`${BROKEN}`, /cannot be converted.*Jester_Skin06\.skn/);
    await refused("?src=/nothing.glb", /does not have this.*Check the link/);
    await open(page, daemon, `${SKIN}?clip=Moonwalk`);
    check("an unknown clip is explained", /no clip called “Moonwalk”/.test(await sentence(page)));
    await open(page, daemon, `${SKIN}?options=content%3Drig`);
    check("no clips is explained", /no clips.*rest pose/.test(await sentence(page)));
    await open(page, daemon, `${MANY_JOINTS}`);
    equal("300 joints", await inViewer(page, (v) => v.joints.length), 300);
    await panel(page, "View");
    const drawn = await picture(page);
    check("are drawn, without a word", new Set(Array.from({ length: drawn.length / 4 }, (_, i) => drawn.readUIntBE(4 * i, 3))).size > 20 && (await page.locator("rift-viewer .message").isHidden()));
    await panel(page, "Masks");
    equal("300 rows", await page.getByRole("treeitem").count(), 300);
    await page.route("**/v1/skins/*.glb*", (route) => route.fulfill({ body: "glTF, but no more", contentType: "model/gltf-binary" }));
    await refused(`${SKIN}`, /GLB is damaged/);
    await page.unroute("**/v1/skins/*.glb*");
    const whole = Buffer.from(await (await fetch(`${daemon.url}/v1/skins/${SKIN}.glb`)).arrayBuffer());
    await page.route("**/v1/skins/*.glb*", (route) => route.fulfill({ body: whole.subarray(0, whole.length * 0.6), contentType: "model/gltf-binary" }));
    await refused(`${SKIN}`, new RegExp(`GLB is damaged: it has ${Math.floor(whole.length * 0.6)} of its ${whole.length} bytes`));
    await page.unroute("**/v1/skins/*.glb*");
    await refused("%E0%A4%A", /no such skin.*gallery/);
    await refused("?src=http://[", /no address of a file/);
    await refused("?src=http://elsewhere.invalid/x.glb", /^http:\/\/elsewhere\.invalid cannot be reached.*its own host only/);
    await open(page, daemon, `${SKIN}?chroma=`);
    equal("an empty chroma is none", await inViewer(page, (v) => v.getAttribute("skin")), `${SKIN}`);
    await page.locator(".skip").focus();
    await page.keyboard.press("Enter");
    equal("the link to the content leaves it there", await page.evaluate(() => [document.activeElement.id, !!document.querySelector("rift-viewer")?.model]), ["main", true]);
    await page.route("**/v1/**", (route) => route.abort());
    await refused(`${SKIN}`, /cannot be reached/);
    await page.unroute("**/v1/**");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.waitForFunction(() => document.querySelector("rift-viewer")?.model);
    check("trying again helps", await page.locator("rift-viewer .message").isHidden());
    const blind = await page.context().newPage();
    listenTo(blind);
    await blind.addInitScript(() => (HTMLCanvasElement.prototype.getContext = () => null));
    await blind.goto(`${daemon.url}/#/${SKIN}`);
    await blind.locator("rift-viewer .message p").waitFor();
    check("no WebGL is explained", /cannot draw 3D/.test(await sentence(blind)));
    await blind.goto(`${daemon.url}/#/`);
    await blind.locator(".card").first().waitFor();
    await blind.close();
    await at(page, 0.2);
    const untouched = await picture(page);
    await inViewer(page, (v) => v.stage.renderer.forceContextLoss());
    await page.getByText(/graphics driver dropped the picture/).waitFor();
    await inViewer(page, (v) => v.stage.renderer.forceContextRestore());
    await page.locator("rift-viewer .message").waitFor({ state: "hidden" });
    check("and the picture is what it was", difference(untouched, await picture(page)) < 0.001);
    await page.route("**/v1/skins?*", (route) => route.abort());
    await page.goto("about:blank");
    await page.goto(`${daemon.url}/`);
    await page.getByText(/cannot be reached. Is riftbaked running/).waitFor();
    await page.unroute("**/v1/skins?*");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.locator(".card").first().waitFor();
    check("the gallery says it too, and tries again", true);
    await page.goto("about:blank"); // else the skin that fails complains in the next test
}
