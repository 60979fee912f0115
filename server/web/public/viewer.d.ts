/** <rift-viewer server="https://example.org" skin="157036" clip="Idle1"></rift-viewer>, from riftbaked's /viewer.js. */

/** A set of joints: those named in `include` and all below them, without those named in `exclude` and all below them. */
export interface RiftMask {
    name?: string;
    include?: string[];
    exclude?: string[];
    self_only?: boolean;
    weight_list?: number[];
}

export interface RiftPlayOptions {
    /** 0 to 7; 0 by default. Higher slots cover lower ones. */
    slot?: number;
    loop?: boolean;
    speed?: number;
    /** 0 to 1 */
    weight?: number;
    /** Second of the clip to begin at. */
    start?: number;
}

export interface RiftViewerEvents {
    /** The model is shown. */
    load: CustomEvent<{ skin: string; clips: string[]; joints: string[] }>;
    /** While a conversion runs and while the file comes: a word, and a share of 1 (negative: not known). */
    progress: CustomEvent<{ phase: string; share: number }>;
    /** A clip began, in a slot. */
    clip: CustomEvent<{ clip: string; slot: number }>;
    /** A sentence for people, and what the server said. */
    error: CustomEvent<{ code: string; message: string; problem: Record<string, unknown> }>;
    /** The server wants a token, or another one: set the attribute. */
    refused: CustomEvent<{ message: string }>;
    /** A frame was drawn. */
    tick: CustomEvent<Record<string, never>>;
    /** Other parts are visible than before. */
    parts: CustomEvent<Record<string, never>>;
    /** What the slots play was changed. */
    mix: CustomEvent<Record<string, never>>;
}

/**
 * Attributes, all of which may change at any time:
 *   server      where riftbaked is; without it the origin of viewer.js
 *   skin        "157036" or "yasuo/36"
 *   src         a GLB to show instead of a skin
 *   clip        the clip that plays; without it the first idle clip
 *   options     of the conversion, as a query: "max_texture=512&clips=idle*"
 *   variant     a material variant of the file
 *   token       sent as a bearer token
 *   background  night, dusk, paper, white or none
 *   controls    full (default), bar (the player alone) or none
 *   paused      does not play by itself
 */
export interface RiftViewer extends HTMLElement {
    /** Seconds: of the clip while one plays alone, else of the mix. */
    currentTime: number;
    playbackRate: number;
    loop: boolean;
    readonly isPaused: boolean;
    /** Of the clip, or of the mix; Infinity for a mix without an end. */
    readonly duration: number;
    readonly clips: string[];
    readonly joints: string[];
    play(): void;
    pause(): void;

    /** Puts a clip into a slot, in place of everything that it held. In slot 0, with nothing else playing, it plays alone. */
    playAnimation(clip: string, options?: RiftPlayOptions): Promise<void>;
    /** Only on the joints of a mask: one of the game's or a stored one by name, or a mask in place. */
    playAnimationMasked(clip: string, mask: string | RiftMask | null, options?: RiftPlayOptions): Promise<void>;
    /** Adds the clip's difference from the rest pose ("bind"), or the differences that it holds ("identity"). */
    playAnimationAdditive(clip: string, options?: RiftPlayOptions & { mask?: string | RiftMask | null; base?: "bind" | "identity" }): Promise<void>;
    stopSlot(slot: number): void;
    setSlotMask(slot: number, mask: string | RiftMask | null): Promise<void>;
    setSlotWeight(slot: number, weight: number): void;
    /** A fade to 0 empties the slot. */
    fadeSlotWeight(slot: number, weight: number, seconds: number): void;
    setSlotLayerMode(slot: number, mode: "replace" | "additive"): void;

    /** World position of a joint in the file's units, by name. */
    jointPosition(joint: string): [number, number, number] | null;
    /** The picture as a PNG. */
    screenshot(): Promise<Blob>;
    /** Turns the camera to all that is visible. */
    fit(): void;

    addEventListener<K extends keyof RiftViewerEvents>(type: K, listener: (this: RiftViewer, event: RiftViewerEvents[K]) => void, options?: boolean | AddEventListenerOptions): void;
    addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
}

declare global {
    interface HTMLElementTagNameMap {
        "rift-viewer": RiftViewer;
    }
}
