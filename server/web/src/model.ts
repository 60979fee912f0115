// A GLB as the viewer needs it: a three.js scene whose joints are moved by hand, parts that can be switched, clips whose keys
// are read when they are first played.
import * as THREE from "three";
import { GLTFLoader, type GLTF } from "three/addons/loaders/GLTFLoader.js";
import { MeshoptDecoder } from "three/addons/libs/meshopt_decoder.module.js";
import { topological, worldOf, type Clip, type Joint, type Pose } from "./layers";
import { ViewerError, type Event } from "./server";

export interface Part {
    name: string;
    mesh: THREE.Object3D;
    triangles: number;
    hidden: boolean; // by the skin, at the start
    shown?: boolean; // by the user; undefined: as skin and clip say
}

export interface ClipInfo {
    name: string;
    length: number;
    loop: boolean;
    additive: boolean;
    events: Event[];
    visibility: { t: number; show: string[]; hide: string[] }[];
    extras: Record<string, any>;
}

export interface Statistics {
    triangles: number;
    joints: number;
    bytes: number;
    gpuBytes: number;
    textures: number;
}

interface GltfJson {
    asset: { extras?: { riftbake?: any } };
    nodes?: any[];
    skins?: any[];
    meshes?: any[];
    animations?: any[];
    accessors?: any[];
    extensions?: any;
}

const own = (object: any): any => object?.extras?.riftbake ?? {};

export class Model {
    readonly joints: Joint[] = [];
    // The same in the skeleton's own hierarchy: masks mean that one. Snaps give joints another parent in the file.
    readonly original: Joint[];
    readonly bones: THREE.Object3D[] = [];
    readonly nodeNames: string[]; // of the joints: unique, unlike theirs
    readonly order: number[];
    readonly parts: Part[] = [];
    readonly clips: ClipInfo[] = [];
    readonly variants: string[] = [];
    private dressed = new Set<THREE.Material>(); // worn by parts before, in other variants
    readonly statistics: Statistics;
    readonly extras: any;
    private loaded = new Map<string, Clip>();

    private constructor(readonly gltf: GLTF, private animations: any[], jointNodes: number[], bones: THREE.Object3D[], bytes: number) {
        const json = gltf.parser.json as GltfJson;
        this.extras = own(json.asset);
        this.bones = bones;
        this.nodeNames = jointNodes.map((at) => json.nodes![at].name ?? "");
        const parents = new Map<number, number>();
        json.nodes?.forEach((node, i) => node.children?.forEach((child: number) => parents.set(child, i)));
        const names = new Map<number, string>((own(json.skins?.[0]).joints ?? []).map((j: any) => [j.id, j.name]));
        jointNodes.forEach((at, id) => {
            const node = json.nodes![at];
            this.joints.push({
                name: names.get(id) ?? node.name ?? "",
                parent: jointNodes.indexOf(parents.get(at) ?? -1),
                t: node.translation ?? [0, 0, 0],
                r: node.rotation ?? [0, 0, 0, 1],
                s: node.scale ?? [1, 1, 1],
                influences: false,
            });
            // World matrices are written by pose().
            bones[id].matrixAutoUpdate = false;
            bones[id].matrixWorldAutoUpdate = false;
        });
        this.order = topological(this.joints);
        const moved = new Map<string, string>((this.extras.reparented ?? []).map((r: any) => [r.joint, r.parent]));
        this.original = this.joints.map((joint, j) => {
            const parent = moved.get(this.nodeNames[j]);
            return parent === undefined ? joint : Object.assign(Object.create(joint), { parent: this.nodeNames.indexOf(parent) });
        });
        gltf.scene.traverse((object) => object instanceof THREE.Mesh && this.addPart(object));
        for (const animation of animations) this.clips.push(infoOf(animation, json));
        for (const variant of json.extensions?.KHR_materials_variants?.variants ?? []) this.variants.push(variant.name);
        this.statistics = this.count(bytes);
        this.rest();
    }

    static async parse(bytes: ArrayBuffer): Promise<Model> {
        const header = new DataView(bytes);
        if (bytes.byteLength >= 12 && header.getUint32(0, true) === 0x46546c67 && header.getUint32(8, true) > bytes.byteLength)
            throw new ViewerError("damaged", `This GLB is damaged: it has ${bytes.byteLength} of its ${header.getUint32(8, true)} bytes. Load it again; if that does not help, have it converted again.`);
        const loader = new GLTFLoader();
        let animations: any[] = [];
        loader.setMeshoptDecoder(MeshoptDecoder);
        // Keys are read by this module, clip by clip.
        loader.register((parser) => ({
            name: "keep_animations",
            beforeRoot: async () => {
                animations = parser.json.animations ?? [];
                delete parser.json.animations;
            },
        }));
        try {
            const gltf = await loader.parseAsync(bytes, "");
            const json = gltf.parser.json as GltfJson;
            const jointNodes = json.skins?.[0]?.joints ?? plainJoints(json, animations);
            const bones = await Promise.all(jointNodes.map((i: number) => gltf.parser.getDependency("node", i)));
            return new Model(gltf, animations, jointNodes, bones as THREE.Object3D[], bytes.byteLength);
        } catch (error) {
            const why = error instanceof Error ? error.message : String(error);
            throw new ViewerError("damaged", `This GLB is damaged (${why}). Load it again; if that does not help, have it converted again.`);
        }
    }

    get scene(): THREE.Object3D {
        return this.gltf.scene;
    }

    private addPart(mesh: THREE.Mesh) {
        const { meshes = -1, nodes = -1 } = (this.gltf.parser.associations.get(mesh) ?? {}) as { meshes?: number; nodes?: number };
        const json = this.gltf.parser.json as GltfJson;
        mesh.frustumCulled = false;
        const { index, attributes } = mesh.geometry;
        const triangles = (index?.count ?? attributes.position.count) / 3;
        // The mesh has the part's name; the node's had to differ from the joints' too.
        this.parts.push({ name: json.meshes?.[meshes]?.name ?? mesh.name, mesh, hidden: own(json.nodes?.[nodes]).hidden === true, triangles });
        const { skinIndex, skinWeight } = attributes;
        for (let i = 0; skinIndex && i < skinIndex.count; i++) {
            for (let k = 0; k < 4; k++) if (skinWeight.getComponent(i, k) > 0) this.joints[skinIndex.getComponent(i, k)].influences = true;
        }
    }

    private count(bytes: number): Statistics {
        let gpuBytes = 0;
        const seen = new Set<unknown>();
        const once = (thing: unknown, size: number) => {
            if (!seen.has(thing)) gpuBytes += size;
            seen.add(thing);
        };
        const textures = new Set<THREE.Texture>();
        for (const { mesh } of this.parts) {
            const { geometry, material } = mesh as THREE.Mesh;
            for (const attribute of [...Object.values(geometry.attributes), geometry.index]) {
                if (!attribute) continue;
                const array = "data" in attribute ? attribute.data.array : attribute.array;
                once(array, array.byteLength);
            }
            for (const value of Object.values(material as THREE.Material)) {
                if (!(value instanceof THREE.Texture)) continue;
                const { width = 0, height = 0 } = value.image ?? {};
                textures.add(value);
                once(value.source, Math.round((width * height * 4 * 4) / 3)); // with its mip chain
            }
        }
        const triangles = this.parts.reduce((sum, part) => sum + part.triangles, 0);
        return { triangles, joints: this.joints.length, bytes, gpuBytes, textures: textures.size };
    }

    // Moves the joints to their rest pose.
    rest() {
        const pose: Pose = { t: this.joints.map((j) => j.t), r: this.joints.map((j) => j.r), s: this.joints.map((j) => j.s), touched: [] };
        this.place(worldOf(this.joints, this.order, pose));
    }

    // Moves the joints: world matrices, by id.
    place(world: number[][]) {
        world.forEach((matrix, j) => this.bones[j].matrixWorld.fromArray(matrix));
    }

    // The parts as the skin, the clip at that second and the user want them. True when something changed.
    show(clip?: ClipInfo, t = 0): boolean {
        let state: ClipInfo["visibility"][number] | undefined;
        for (const entry of clip?.visibility ?? []) if (entry.t <= t + 1e-6) state = entry;
        let changed = false;
        for (const part of this.parts) {
            const byClip = state?.show.includes(part.name) ? true : state?.hide.includes(part.name) ? false : !part.hidden;
            const visible = part.shown ?? byClip;
            changed ||= part.mesh.visible !== visible;
            part.mesh.visible = visible;
        }
        return changed;
    }

    // Of what is shown, in its present pose.
    bounds(): THREE.Box3 {
        const box = new THREE.Box3();
        for (const { mesh } of this.parts) {
            if (!mesh.visible) continue;
            if (mesh instanceof THREE.SkinnedMesh) {
                mesh.skeleton.update();
                mesh.computeBoundingBox();
                box.union(mesh.boundingBox!.clone().applyMatrix4(mesh.matrixWorld));
            } else {
                box.expandByObject(mesh);
            }
        }
        if (box.isEmpty()) for (const bone of this.bones) box.expandByPoint(new THREE.Vector3().setFromMatrixPosition(bone.matrixWorld));
        return box.isEmpty() ? new THREE.Box3(new THREE.Vector3(-1, 0, -1), new THREE.Vector3(1, 2, 1)) : box;
    }

    info(name: string): ClipInfo | undefined {
        return this.clips.find((c) => c.name === name) ?? this.clips.find((c) => c.name.toLowerCase() === name.toLowerCase());
    }

    // The keys of a clip.
    async clip(name: string): Promise<Clip | undefined> {
        const info = this.info(name);
        if (!info) return undefined;
        let clip = this.loaded.get(info.name);
        if (!clip) {
            const animation = this.animations[this.clips.indexOf(info)];
            clip = { name: info.name, length: info.length, composed: info.extras.composed === true, curves: await this.readCurves(animation) };
            this.addStill(clip, info);
            this.loaded.set(info.name, clip);
        }
        return clip;
    }

    // A clip that clip() has read already.
    ready(name: string): Clip | undefined {
        return this.loaded.get(this.info(name)?.name ?? "");
    }

    // A file leaves out what no clip moves; the game's clip has it, at rest, and adds it where differences from nothing are added.
    private addStill(clip: Clip, info: ClipInfo) {
        const { total = 0, leftover = [] } = info.extras.tracks ?? {};
        const all = total - leftover.length >= this.joints.length;
        this.joints.forEach(({ t, r, s }, j) => {
            if (!all && ![0, 1, 2].some((component) => clip.curves[3 * j + component])) return;
            [t, r, s].forEach((values, component) => (clip.curves[3 * j + component] ??= { times: [0], values }));
        });
    }

    private async readCurves(animation: any): Promise<Clip["curves"]> {
        const { parser } = this.gltf;
        const curves: Clip["curves"] = [];
        const ids = new Map<number, number>();
        for (const [id, bone] of this.bones.entries()) ids.set((parser.associations.get(bone) as { nodes: number }).nodes, id);
        for (const { target, sampler } of animation.channels) {
            const joint = ids.get(target.node);
            const component = ["translation", "rotation", "scale"].indexOf(target.path);
            if (joint === undefined || component < 0) continue;
            const { input, output, interpolation } = animation.samplers[sampler];
            const [times, values] = await Promise.all([numbers(parser, input), numbers(parser, output)]);
            curves[3 * joint + component] = { times, values, cubic: interpolation === "CUBICSPLINE" };
        }
        return curves;
    }

    async setVariant(name: string | null) {
        const at = this.variants.indexOf(name ?? "");
        for (const { mesh } of this.parts) {
            const { meshes, primitives } = this.gltf.parser.associations.get(mesh) as { meshes: number; primitives: number };
            const primitive = this.gltf.parser.json.meshes[meshes].primitives[primitives ?? 0];
            const mapping = primitive.extensions?.KHR_materials_variants?.mappings?.find((m: any) => m.variants.includes(at));
            const material = mapping?.material ?? primitive.material;
            if (material === undefined) continue;
            this.dressed.add((mesh as THREE.Mesh).material as THREE.Material);
            (mesh as THREE.Mesh).material = (await this.gltf.parser.getDependency("material", material)) as THREE.Material;
            this.gltf.parser.assignFinalMaterial(mesh as THREE.Mesh);
        }
    }

    dispose() {
        for (const { mesh } of this.parts) {
            const { geometry, material } = mesh as THREE.Mesh;
            geometry.dispose();
            this.dressed.add(material as THREE.Material);
            if (mesh instanceof THREE.SkinnedMesh) mesh.skeleton.dispose();
        }
        for (const material of this.dressed) {
            for (const value of Object.values(material)) if (value instanceof THREE.Texture) value.dispose();
            material.dispose();
        }
    }
}

async function numbers(parser: GLTF["parser"], accessor: number): Promise<Float64Array> {
    const attribute = (await parser.getDependency("accessor", accessor)) as THREE.BufferAttribute;
    const out = new Float64Array(attribute.count * attribute.itemSize);
    for (let i = 0; i < attribute.count; i++) for (let k = 0; k < attribute.itemSize; k++) out[i * attribute.itemSize + k] = attribute.getComponent(i, k);
    return out;
}

// A file of clips alone has joints that are plain nodes, in the order of their ids, below the first root.
function plainJoints(json: GltfJson, animations: any[]): number[] {
    if (animations.length === 0) return [];
    return (json.nodes ?? []).map((_, i) => i).filter((i) => i > 0 && json.nodes![i].mesh === undefined);
}

function infoOf(animation: any, json: GltfJson): ClipInfo {
    const extras = own(animation);
    const ends = animation.samplers.map((s: any) => json.accessors?.[s.input]?.max?.[0] ?? 0);
    return {
        name: animation.name,
        length: Math.max(0, ...ends),
        loop: extras.loop !== false,
        additive: extras.additive === true,
        events: extras.events ?? [],
        visibility: extras.visibility ?? [],
        extras,
    };
}
