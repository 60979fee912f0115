// For everybody: axe, narrow screens, touch; and how soon something is seen.
import { at, BROKEN_FAILS, check, clean, difference, equal, inViewer, open, panel, picture, SKIN } from "./common.mjs";

export async function everybody({ browser, daemon, listenTo, expect }) {
    expect(BROKEN_FAILS);
    for (const colorScheme of ["light", "dark"]) {
        const context = await browser.newContext({ viewport: { width: 390, height: 700 }, colorScheme, reducedMotion: "reduce", hasTouch: true });
        const page = await context.newPage();
        listenTo(page);
        await page.goto(`${daemon.url}/`);
        await page.locator(".card").first().waitFor();
        await clean(page, `gallery, ${colorScheme}`);
        equal("the gallery fits a narrow screen", await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
        await open(page, daemon, `${SKIN}`);
        equal("still, where motion is unwanted", await inViewer(page, (v) => v.isPaused), true);
        const names = ["Clips", "Parts", "View", "Layers", "Masks", "Report", "Download"];
        for (const name of names) {
            await panel(page, name);
            await clean(page, `${name}, ${colorScheme}`, name === "Masks" ? undefined : ".panels");
            equal(`${name} fits a narrow screen`, await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
        }
        await page.getByRole("tab", { name: "Clips" }).focus();
        await page.keyboard.press("ArrowRight");
        equal("tabs by keys", await page.getByRole("tab", { selected: true }).textContent(), "Parts");
        const box = await page.locator("rift-viewer canvas").first().boundingBox();
        check("the picture has room", box.width > 380 && box.height > 150, box);
        const before = await picture(page);
        const touch = await context.newCDPSession(page);
        const point = (x) => [{ x: box.x + x, y: box.y + box.height / 2 }];
        await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: point(100) });
        for (const x of [130, 160, 200]) await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: point(x) });
        await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
        check("a finger turns it", difference(before, await picture(page)) > 0.01);
        await context.close();
    }
}

// What the Tab key comes to, in order, and that one sees where one is.
export async function focus({ page, daemon }) {
    await page.goto("about:blank");
    await open(page, daemon, `${SKIN}?clip=Idle1`);
    await at(page, 0);
    await page.locator(".swatch").nth(2).waitFor();
    const stops = [];
    const unseen = [];
    for (let i = 0; i < 16; i++) {
        await page.keyboard.press("Tab");
        const [name, seen] = await page.evaluate(() => {
            let element = document.activeElement;
            while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
            const { outlineStyle, outlineWidth } = getComputedStyle(element);
            const box = element.getBoundingClientRect();
            const text = element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent ?? element.textContent;
            return [text.slice(0, 14), outlineStyle !== "none" && parseFloat(outlineWidth) >= 1 && box.width > 0 && box.right > 0 && box.bottom > 0];
        });
        stops.push(name);
        if (!seen) unseen.push(name);
    }
    const chromas = await page.locator(".swatch").evaluateAll((all) => all.map((a) => a.getAttribute("aria-label").slice(0, 14)));
    equal("the order of the focus", stops, ["To the content", "Riftbake", "Original", ...chromas, "Model. Arrow k", "Play", "One frame back", "One frame on", "Time", "Loop", "Speed", "Clips", "Clips", "Search clips"]);
    equal("where it cannot be seen", unseen, []);
}

// Reported, not a gate: how long a cold page takes to show a skin that is converted.
export async function speed({ browser, daemon, listenTo }) {
    const taken = [];
    for (let i = 0; i < 5; i++) {
        const context = await browser.newContext({ viewport: { width: 760, height: 480 } });
        const page = await context.newPage();
        listenTo(page);
        const begun = Date.now();
        await page.goto(`${daemon.url}/#/${SKIN}`);
        await page.waitForFunction(() => document.querySelector("rift-viewer")?.model && document.querySelector("rift-viewer").stage.frames > 1, undefined, { polling: 20 });
        taken.push(Date.now() - begun);
        await context.close();
    }
    console.log(`   first model visible after ${taken.sort((a, b) => a - b)[2]} ms (median of ${taken.join(", ")})`);
    check("it shows at all", taken.length === 5);
}
