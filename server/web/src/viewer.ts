// <rift-viewer>: loads a skin, shows it, plays it. What it can do from outside is in public/viewer.d.ts.
import type { RiftMask, RiftPlayOptions, RiftViewer as Public } from "../public/viewer";
import { h, save } from "./dom";
import { Layers, poseAt, resolveMask, SLOTS, worldOf, type Command, type Slot, type Snap, type Timeline } from "./layers";
import { Model, type ClipInfo } from "./model";
import { panels, playerBar, type PlayerBar } from "./panels";
import { glbPath, Server, skinPath, ViewerError, type SkinData } from "./server";
import { BACKGROUNDS, Stage } from "./stage";
import style from "./viewer.css?inline";

const sheet = new CSSStyleSheet();
sheet.replaceSync(style);

const RELOADS = ["server", "skin", "src", "options", "token"];
const stillness = matchMedia("(prefers-reduced-motion: reduce)");

export class RiftViewer extends HTMLElement implements Public {
    static observedAttributes = [...RELOADS, "clip", "variant", "background", "controls", "paused"];

    model: Model | null = null;
    data: SkinData | null = null; // what the server says about the skin
    stage: Stage | null = null;
    server = new Server("");
    // What plays. Alone: one clip in slot 0. Else the commands of a mix, of `duration` seconds or without an end.
    timeline: Timeline = { name: "Mix", commands: [] };
    alone: ClipInfo | null = null;
    masks = new Map<string, RiftMask>(); // stored ones, by name
    beside: RiftViewer | null = null; // follows this one, in the right half of the picture

    private root = this.attachShadow({ mode: "open" });
    private layers: Layers | null = null;
    // The clips in the original hierarchy, without snaps: what the daemon mixes; null: those of the file shown.
    private motion: Model | null = null;
    private motionAsked: Promise<void> | null = null;
    private withoutHidden = false; // the server wants a token for hidden parts
    private inexact = ""; // why there is no motion, in a sentence
    private clock = 0;
    private playing = false;
    private loops = true;
    private rate = 1;
    private bar: PlayerBar | null = null;
    private panelsGone = new AbortController();
    private message = h("div", { class: "message", role: "alert", hidden: true });
    private status = h("div", { class: "status", role: "status", hidden: true });
    private view = h("div", { class: "view" });
    private loading: AbortController | null = null;
    private queued = false;

    connectedCallback() {
        this.root.adoptedStyleSheets = [sheet];
        if (!this.hasAttribute("server")) this.server = new Server(new URL(import.meta.url).origin);
        if (!this.stage) this.build();
        stillness.addEventListener("change", this.still);
        this.reload();
    }

    disconnectedCallback() {
        stillness.removeEventListener("change", this.still);
        this.loading?.abort();
        this.stage?.dispose();
        this.model?.dispose();
        this.stage = null;
        this.model = null;
        this.root.replaceChildren();
    }

    attributeChangedCallback(name: string, before: string | null, now: string | null) {
        if (!this.isConnected || before === now) return;
        if (RELOADS.includes(name)) this.reload();
        else if (name === "clip" && now !== null && now !== this.alone?.name) void this.playAlone(now, !this.hasAttribute("paused") && !stillness.matches);
        else if (name === "variant") void this.setVariant(now);
        else if (name === "background") this.setBackground();
        else if (name === "controls") this.buildPanels();
        else if (name === "paused") now === null ? this.play() : this.pause();
    }

    // Motion became unwanted while the page is open.
    private still = () => {
        if (stillness.matches) this.pause();
    };

    // --- building ------------------------------------------------------------------------------------------------------

    private build() {
        this.view.replaceChildren(this.status, this.message);
        this.root.replaceChildren(this.view);
        try {
            this.stage = new Stage();
        } catch (error) {
            queueMicrotask(() => this.fail(error)); // whoever made the element may begin to listen first
            return;
        }
        const { canvas, overlay } = this.stage;
        canvas.tabIndex = 0;
        canvas.setAttribute("role", "application");
        canvas.setAttribute("aria-label", "Model. Arrow keys turn it, with shift they move it, plus and minus zoom, F fits, space plays, comma and full stop step.");
        canvas.addEventListener("keydown", (event) => this.key(event));
        canvas.addEventListener("dblclick", () => this.fit());
        canvas.addEventListener("webglcontextlost", () => this.stage?.canvas === canvas && this.say("The graphics driver dropped the picture. It comes back by itself; if not, reload the page."));
        canvas.addEventListener("webglcontextrestored", () => (this.message.hidden = true));
        overlay.setAttribute("aria-hidden", "true");
        overlay.className = "overlay";
        this.view.prepend(canvas, overlay);
        this.stage.onFrame = (seconds) => this.advance(seconds);
        this.setBackground();
    }

    // Hears of what happens as long as the panels are these.
    whileShown(type: string, work: () => void) {
        this.addEventListener(type, work, { signal: this.panelsGone.signal });
    }

    private buildPanels() {
        this.panelsGone.abort();
        this.panelsGone = new AbortController();
        const controls = this.getAttribute("controls") ?? "full";
        this.bar = null;
        this.root.querySelectorAll(".player, .panels").forEach((element) => element.remove());
        this.view.classList.toggle("with-panels", controls === "full");
        if (!this.model || controls === "none") return;
        this.bar = playerBar(this);
        this.root.append(this.bar.element);
        if (controls === "full") this.root.append(panels(this));
        this.refresh();
    }

    private setBackground() {
        if (!this.stage) return;
        const wanted = this.getAttribute("background") ?? "night";
        this.stage.look.background = wanted in BACKGROUNDS ? wanted : "night";
        this.stage.applyLook();
    }

    private key(event: KeyboardEvent) {
        const turn = event.shiftKey ? (x: number, y: number) => this.stage!.pan(x * 0.05, y * 0.05) : (x: number, y: number) => this.stage!.orbit(x * 10, y * -10);
        const keys: Record<string, () => void> = {
            ArrowLeft: () => turn(-1, 0), ArrowRight: () => turn(1, 0), ArrowUp: () => turn(0, 1), ArrowDown: () => turn(0, -1),
            "+": () => this.stage!.orbit(0, 0, 1 / 1.15), "=": () => this.stage!.orbit(0, 0, 1 / 1.15), "-": () => this.stage!.orbit(0, 0, 1.15),
            f: () => this.fit(), " ": () => (this.playing ? this.pause() : this.play()), ",": () => this.step(-1), ".": () => this.step(1),
        };
        if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
        keys[event.key]();
        event.preventDefault();
    }

    // --- loading -------------------------------------------------------------------------------------------------------

    // Once for all attributes that change together.
    reload() {
        if (this.queued) return;
        this.queued = true;
        queueMicrotask(() => {
            this.queued = false;
            if (this.isConnected) void this.load();
        });
    }

    private async load() {
        this.loading?.abort();
        const loading = (this.loading = new AbortController());
        const { signal } = loading;
        const skin = this.getAttribute("skin") ?? "";
        const src = this.getAttribute("src");
        const base = this.getAttribute("server") ?? new URL(import.meta.url).origin;
        this.server = new Server(base, this.getAttribute("token") ?? "");
        this.server.refused = (message) => this.emit("refused", { message });
        this.clear();
        if (!this.stage || (!skin && !src)) return;
        this.message.hidden = true;
        try {
            const model = src ? await this.fetchFile(src, signal) : await this.fetchSkin(skin, signal);
            if (signal.aborted) {
                model.dispose();
                return;
            }
            await this.show(model, skin || src!);
        } catch (error) {
            if (!signal.aborted) this.fail(error);
        } finally {
            if (this.loading === loading) this.status.hidden = true;
        }
    }

    private async fetchFile(src: string, signal: AbortSignal): Promise<Model> {
        if (!URL.canParse(src, document.baseURI)) throw new ViewerError("bad_link", `“${src}” is no address of a file. Check the link.`);
        const at = new URL(src, document.baseURI);
        const own = at.origin === new URL(this.server.url("/")).origin;
        const reply = await (own ? this.server : new Server(at.origin)).ask(at.pathname + at.search, { signal });
        return Model.parse(await reply.arrayBuffer());
    }

    private async fetchSkin(skin: string, signal: AbortSignal): Promise<Model> {
        this.progress("asking", -1);
        this.data = await this.server.json<SkinData>(skinPath(skin), { signal });
        const fetch = (server: Server) => server.glb(glbPath(skin, this.requestOptions()), (phase, share) => this.progress(phase, share), signal);
        if (this.getAttribute("options") !== null || this.requestOptions() === "") return Model.parse(await fetch(this.server));
        // Some servers give everybody the file with default options only.
        const bytes = await fetch(new Server(this.server.base, this.server.token)).catch((error) => {
            if (!(error instanceof ViewerError && error.refused)) throw error;
            this.withoutHidden = true;
            return fetch(this.server);
        });
        return Model.parse(bytes);
    }

    // Hidden parts are asked for where there are some, so that they can be switched on.
    requestOptions(): string {
        const given = this.getAttribute("options");
        if (given !== null) return given;
        return !this.withoutHidden && this.data?.parts.some((part) => !part.visible) ? "hidden=include" : "";
    }

    // Those of the file's options that say where joints are: other files that stand beside it need the same.
    space(): Record<string, string> {
        const given = new URLSearchParams(this.requestOptions());
        return Object.fromEntries(["units", "mirror", "timing", "snap"].flatMap((name) => (given.has(name) ? [[name, given.get(name)!]] : [])));
    }

    private clear() {
        this.stage?.setModel(null);
        this.model?.dispose();
        this.model = null;
        this.data = null;
        this.withoutHidden = false;
        this.alone = null;
        this.timeline = { name: "Mix", commands: [] };
        this.layers = null;
        this.motion = null;
        this.motionAsked = null;
        this.inexact = "";
        this.showBeside(null);
        this.clock = 0;
        this.playing = false;
        this.buildPanels();
    }

    private async show(model: Model, skin: string) {
        this.model = model;
        model.show();
        this.stage!.setModel(model);
        const variant = this.getAttribute("variant");
        if (variant) await this.setVariant(variant);
        const wanted = this.getAttribute("clip");
        const first = (wanted && model.info(wanted)) || this.firstClip();
        this.playing = !this.hasAttribute("paused") && !stillness.matches;
        if (first) await this.playAlone(first.name, this.playing);
        this.fit();
        this.buildPanels();
        this.note(model, wanted);
        this.emit("load", { skin, clips: this.clips, joints: this.joints });
    }

    // The one that the thumbnail shows: a plain “Idle1” before “Idle_In” and the like.
    private firstClip(): ClipInfo | undefined {
        const { clips } = this.model!;
        const idle = clips.filter((c) => this.kindOf(c.name) === "idle" && !c.additive);
        return idle.sort((a, b) => a.name.length - b.name.length || (a.name < b.name ? -1 : 1))[0] ?? clips[0];
    }

    // What is not wrong but had better be said.
    private note(model: Model, wanted: string | null) {
        if (wanted && !model.info(wanted)) this.say(`This skin has no clip called “${wanted}”. Choose one from the list.`);
        else if (this.withoutHidden) this.say("Without a token this server gives only the parts that the skin shows at the start. Ask its operator for a token to see the hidden ones.");
        else if (model.clips.length === 0) this.say("This file has no clips: the model stands in its rest pose.");
    }

    kindOf(clip: string): string {
        const known = this.data?.clips.find((c) => c.name === clip)?.kind;
        if (known) return known;
        const words = ["idle", "run", "attack", "spell", "dance", "taunt", "joke", "laugh", "recall", "death", "respawn"];
        return words.find((word) => clip.toLowerCase().startsWith(word)) ?? "other";
    }

    private progress(phase: string, share: number) {
        this.status.hidden = false;
        this.status.replaceChildren(h("span", {}, share >= 0 ? `${phase}, ${Math.round(share * 100)} %` : `${phase} …`));
        const bar = h("progress", { max: "1", "aria-label": phase });
        if (share >= 0) bar.value = share;
        this.status.append(bar);
        this.emit("progress", { phase, share });
    }

    say(sentence: string, retry = false) {
        const again = h("button", { type: "button", onclick: () => this.reload() }, "Try again");
        const close = h("button", { type: "button", onclick: () => (this.message.hidden = true) }, "Close");
        this.message.replaceChildren(h("p", {}, sentence), retry ? again : close);
        this.message.hidden = false;
    }

    fail(error: unknown) {
        const known = error instanceof ViewerError ? error : new ViewerError("internal", `The viewer failed: ${error instanceof Error ? error.message : error}. Reload the page.`);
        this.say(known.message, known.code !== "no_webgl");
        this.emit("error", { code: known.code, message: known.message, problem: { ...known.problem } });
    }

    emit(type: string, detail: unknown) {
        this.dispatchEvent(new CustomEvent(type, { detail }));
    }

    // --- time ----------------------------------------------------------------------------------------------------------

    get isPaused() {
        return !this.playing;
    }

    get duration(): number {
        return this.alone ? this.alone.length : this.timeline.duration ?? Infinity;
    }

    get currentTime(): number {
        return this.clock;
    }

    set currentTime(seconds: number) {
        if (Number.isNaN(seconds)) return;
        this.clock = Math.min(Math.max(seconds, 0), this.duration);
        this.refresh();
    }

    get loop(): boolean {
        return this.loops;
    }

    set loop(on: boolean) {
        this.loops = on;
        this.bar?.update();
    }

    get playbackRate(): number {
        return this.rate;
    }

    set playbackRate(rate: number) {
        if (Number.isFinite(rate)) this.rate = rate;
        this.bar?.update();
    }

    get clips(): string[] {
        return this.model?.clips.map((c) => c.name) ?? [];
    }

    get joints(): string[] {
        return this.model?.joints.map((j) => j.name) ?? [];
    }

    play() {
        if (!this.layers) return;
        this.playing = true;
        const { duration, rate } = this;
        if (rate < 0 && this.clock <= 0 && Number.isFinite(duration)) this.clock = duration;
        else if (rate >= 0 && this.clock >= duration) this.clock = 0;
        this.refresh();
    }

    pause() {
        this.playing = false;
        this.refresh();
    }

    // One frame of the clip's own rate, or of 30 a second.
    step(frames: number) {
        this.playing = false;
        const fps = Number(this.alone?.extras.fps) || 30;
        this.currentTime = (Math.round(this.clock * fps) + frames) / fps;
    }

    private advance(seconds: number): boolean {
        if (!this.model) return false;
        if (this.playing) {
            const end = this.duration;
            let t = this.clock + seconds * this.playbackRate;
            if (t > end || t < 0) {
                if (this.loop && end > 0) t = ((t % end) + end) % end;
                else {
                    t = t < 0 ? 0 : end;
                    this.playing = false;
                }
            }
            this.clock = t;
        }
        this.applyPose();
        this.bar?.update();
        this.emit("tick", {});
        return this.playing;
    }

    // Something changed: draws, and goes on while it plays.
    refresh() {
        this.bar?.update();
        this.stage?.draw();
    }

    private applyPose() {
        const { model, layers } = this;
        if (!model) return;
        if (layers) {
            const source = this.source();
            const slots = layers.at(this.clock);
            model.place(worldOf(source.joints, source.order, poseAt(layers, this.clock), this.alone ? undefined : this.snapsOf(slots)));
        } else {
            model.rest();
        }
        const slot = layers?.at(this.clock).find((s) => s !== null);
        if (model.show(slot ? model.info(slot.span.clip.name) : undefined, slot?.time ?? 0)) this.emit("parts", {});
        this.beside?.followAlong(this);
    }

    private source(): Model {
        return this.alone ? this.model! : this.motion ?? this.model!;
    }

    // Joints that the clips of a mix lock to others now: the highest slot that has them at half weight or more wins, in it the
    // event that began last. Alone, a clip's keys say it already.
    private snapsOf(slots: (Slot | null)[]): Map<number, Snap> {
        const snaps = new Map<number, Snap>();
        const { sigma = 1 } = this.model!.extras;
        const joints = this.model!.nodeNames;
        for (const slot of [...slots].reverse()) {
            if (!slot || !this.motion) continue;
            const found = new Map<number, Snap & { start: number }>();
            for (const { joint, to, start, end, offset = [0, 0, 0] } of this.model!.info(slot.span.clip.name)?.extras.snaps ?? []) {
                const victim = joints.indexOf(joint);
                const weight = slot.weight * (slot.span.mask ? slot.span.mask[victim] ?? 0 : 1);
                if (victim < 0 || weight < 0.5 || slot.time < start || slot.time > end || (found.get(victim)?.start ?? -1) > start) continue;
                found.set(victim, { target: joints.indexOf(to), offset: [-offset[0] * sigma, offset[1] * sigma, offset[2] * sigma], start });
            }
            for (const [victim, snap] of found) if (!snaps.has(victim)) snaps.set(victim, snap);
        }
        return snaps;
    }

    // Another model in the right half: a skin or a file. It looks from the same place, at the same second.
    showBeside(attributes: Record<string, string> | null): RiftViewer | null {
        this.beside?.remove();
        this.beside = null;
        this.view.classList.toggle("pair", attributes !== null);
        if (!attributes) return null;
        const other = (this.beside = document.createElement("rift-viewer") as RiftViewer);
        for (const [name, value] of Object.entries({ server: this.server.base, token: this.server.token, controls: "none", paused: "", ...attributes })) other.setAttribute(name, value);
        other.addEventListener("load", () => this.refresh());
        this.view.append(other);
        return other;
    }

    private followAlong(leader: RiftViewer) {
        if (!this.model || !this.stage) return;
        const wanted = leader.alone?.name;
        if (wanted && wanted !== this.alone?.name && this.model.info(wanted)) void this.playAlone(wanted, false);
        this.clock = Math.min(leader.clock, this.duration);
        this.stage.follow(leader.stage!);
    }

    // --- slots ---------------------------------------------------------------------------------------------------------

    // One clip and nothing else.
    async playAlone(name: string, playing = true) {
        const info = this.model?.info(name);
        if (!info) {
            if (this.model) this.say(`This skin has no clip called “${name}”. Choose one from the list.`);
            return;
        }
        const { model } = this;
        await model!.clip(info.name);
        if (this.model !== model) return; // another was loaded meanwhile, or none
        this.alone = info;
        this.clock = 0;
        this.playing = playing;
        await this.setTimeline({ name: "Mix", commands: [{ at: 0, op: "play", slot: 0, clip: info.name, loop: true }] });
        this.emit("clip", { clip: info.name, slot: 0 });
    }

    // Takes up the commands; what they need of clips is read first where it is not there yet.
    async setTimeline(timeline: Timeline) {
        if (!this.model) return;
        this.timeline = timeline;
        this.rebuild();
        if (timeline.commands.some(({ mask }) => typeof mask === "string" && !this.findMask(mask))) await this.loadMasks();
        if (!this.alone) await (this.motionAsked ??= this.loadMotion());
        if (this.timeline !== timeline || !this.model) return;
        const source = this.source();
        const names = timeline.commands.map((c) => c.clip ?? "").filter((name) => source.info(name) && !source.ready(name));
        await Promise.all(names.map((name) => source.clip(name)));
        if (this.timeline === timeline && this.model) this.rebuild();
    }

    private rebuild() {
        const source = this.source();
        const unit = this.model!.extras.sigma ?? 1;
        this.layers = new Layers(source.joints, this.timeline, (name) => source.ready(name), (name) => this.findMask(name), unit);
        this.refresh();
    }

    private async loadMotion() {
        const { data, loading } = this;
        if (!data || !loading) return;
        const skin = this.getAttribute("skin") ?? "";
        try {
            const options = new URLSearchParams({ ...this.space(), content: "animations", texture: "none", snap: "off", compress: "none" }).toString();
            const motion = await Model.parse(await this.server.glb(glbPath(skin, options), () => {}, loading.signal));
            const same = motion.joints.length === this.model?.joints.length;
            motion.joints.forEach((joint, j) => (joint.influences = same && this.model!.joints[j].influences));
            if (same && !loading.signal.aborted) this.motion = motion;
        } catch (error) {
            if (loading.signal.aborted) return;
            this.inexact = `The mix is not exact: it plays the keys of the file shown, because the clips' own file cannot be had. ${(error as Error).message}`;
            this.emit("mix", {});
        }
    }

    get isExact() {
        return this.motion !== null;
    }

    // What is odd about the mix.
    get warnings(): string[] {
        const odd = this.layers?.warnings ?? [];
        return this.inexact && !this.alone ? [this.inexact, ...odd] : odd;
    }

    slotsNow() {
        return this.layers?.at(this.clock) ?? new Array(SLOTS).fill(null);
    }

    // A mask by name: stored, or "game:" and one of the skin's own.
    findMask(name: string): number[] | null {
        const joints = this.model!.original;
        const stored = this.masks.get(name);
        if (stored) return resolveMask(stored, joints).weights;
        const game = this.data?.masks.find((m) => m.name === name.replace(/^game:/, "") || m.hash === name.replace(/^game:/, ""));
        if (!game) return null;
        if (game.weights) return resolveMask({ weight_list: game.weights }, joints).weights;
        return joints.map((joint) => (game.joints.includes(joint.name) ? 1 : 0));
    }

    // The masks that the server has stored, once.
    async loadMasks() {
        try {
            if (!(await this.server.has("/v1/masks"))) return;
            const { masks } = await this.server.json<{ masks: RiftMask[] }>("/v1/masks");
            for (const mask of masks) if (mask.name && !this.masks.has(mask.name)) this.masks.set(mask.name, mask);
        } catch {
            // Presets and the game's masks are there without it.
        }
    }

    // Adds a command at the present instant, or another.
    command(command: Omit<Command, "at"> & { at?: number }): Promise<void> {
        return this.mix({ ...this.timeline, commands: [...this.timeline.commands, { at: this.clock, ...command }] });
    }

    // From now on a mix plays.
    mix(timeline: Timeline): Promise<void> {
        this.alone = null;
        const done = this.setTimeline(timeline);
        this.emit("mix", {});
        return done;
    }

    private async put(op: Command["op"], clip: string, options: RiftPlayOptions & { mask?: string | RiftMask | null; base?: Command["base"] }) {
        if (!this.model) throw new ViewerError("no_model", "There is no model yet: wait for the event “load”.");
        const info = this.model.info(clip);
        if (!info) throw new ViewerError("unknown_clip", `This skin has no clip called “${clip}”.`);
        const { slot = 0, loop = true, ...rest } = options;
        const other = this.timeline.commands.some((c) => c.slot !== 0);
        if (op === "play" && slot === 0 && !other && Object.keys(rest).length === 0) {
            this.loop = loop;
            return this.playAlone(info.name);
        }
        await this.command({ op, slot, clip: info.name, loop, ...rest });
        this.play();
        this.emit("clip", { clip: info.name, slot });
    }

    playAnimation(clip: string, options: RiftPlayOptions = {}) {
        return this.put("play", clip, options);
    }

    playAnimationMasked(clip: string, mask: string | RiftMask | null, options: RiftPlayOptions = {}) {
        return this.put("play_masked", clip, { ...options, mask });
    }

    playAnimationAdditive(clip: string, options: RiftPlayOptions & { mask?: string | RiftMask | null; base?: Command["base"] } = {}) {
        return this.put("play_additive", clip, options);
    }

    stopSlot(slot: number) {
        void this.command({ op: "stop", slot });
    }

    async setSlotMask(slot: number, mask: string | RiftMask | null) {
        await this.command({ op: "set_mask", slot, mask });
    }

    setSlotWeight(slot: number, weight: number) {
        void this.command({ op: "set_weight", slot, weight });
    }

    fadeSlotWeight(slot: number, weight: number, seconds: number) {
        void this.command({ op: "fade", slot, weight, seconds });
    }

    setSlotLayerMode(slot: number, mode: Command["mode"] & string) {
        void this.command({ op: "set_mode", slot, mode });
    }

    // --- the rest ------------------------------------------------------------------------------------------------------

    async setVariant(name: string | null) {
        await this.model?.setVariant(name);
        this.stage?.applyLook();
    }

    jointPosition(joint: string): [number, number, number] | null {
        const at = this.model?.joints.findIndex((j) => j.name === joint) ?? -1;
        if (at < 0) return null;
        this.applyPose();
        const { elements } = this.model!.bones[at].matrixWorld;
        return [elements[12], elements[13], elements[14]];
    }

    async screenshot(): Promise<Blob> {
        if (!this.stage) throw new ViewerError("no_webgl", "There is no picture without WebGL.");
        this.applyPose();
        return this.stage.screenshot();
    }

    // A click on a link to a file, which is fetched here: a link can neither carry a token nor wait for a conversion and tell its progress.
    async download(click: Event, path: string, name: string) {
        click.preventDefault();
        try {
            const bytes = await this.server.glb(path, (phase, share) => this.progress(phase, share), new AbortController().signal);
            save(new Blob([bytes], { type: "model/gltf-binary" }), name);
        } catch (error) {
            this.fail(error);
        }
        this.status.hidden = true;
    }

    fit() {
        this.applyPose();
        this.stage?.fit();
    }
}

if (!customElements.get("rift-viewer")) customElements.define("rift-viewer", RiftViewer);
