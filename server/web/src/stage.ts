// The picture: camera, ground, background, the model, and what is drawn over it. Draws when something changed, not all the time.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Model } from "./model";
import { ViewerError } from "./server";

export const BACKGROUNDS: Record<string, [string, number | null]> = {
    night: ["Night", 0x14171f],
    dusk: ["Dusk", 0x3a4152],
    paper: ["Paper", 0xe9e6df],
    white: ["White", 0xffffff],
    none: ["Transparent", null],
};

export interface Look {
    background: string;
    ground: boolean;
    wireframe: boolean;
    skeleton: boolean;
    names: boolean;
    bounds: boolean;
}

const IN = new THREE.Color(0x2bff4f);
const OUT = new THREE.Color(0x5b6068);
const BONE = new THREE.Color(0xffb52e);

export class Stage {
    readonly canvas = document.createElement("canvas");
    readonly overlay = document.createElement("canvas"); // joint names
    readonly look: Look = { background: "night", ground: true, wireframe: false, skeleton: false, names: false, bounds: false };
    onFrame: (seconds: number) => boolean = () => false; // true: draw again
    frames = 0;
    private renderer: THREE.WebGLRenderer;
    private scene = new THREE.Scene();
    private camera = new THREE.PerspectiveCamera(35, 1, 0.01, 100);
    private controls: OrbitControls;
    private ground = new THREE.Group();
    private box = new THREE.Box3Helper(new THREE.Box3(), 0x3fa7ff);
    private bones = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ vertexColors: true, depthTest: false }));
    private radius = 1; // of what was fitted
    private around = 1; // the same, of an upright cylinder
    private marked: ArrayLike<number> | null = null; // the mask that is drawn, by joint
    private wires: THREE.Mesh[] = [];
    private model: Model | null = null;
    private dirty = true;
    private last = 0;
    private request = 0;
    private size = new ResizeObserver(() => this.resize());

    constructor() {
        try {
            this.renderer = new THREE.WebGLRenderer({ canvas: this.canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
        } catch {
            throw new ViewerError("no_webgl", "This browser cannot draw 3D (WebGL is missing or switched off). Switch on hardware acceleration or use another browser.");
        }
        this.controls = new OrbitControls(this.camera, this.canvas);
        this.controls.addEventListener("change", () => this.draw());
        this.canvas.addEventListener("webglcontextrestored", () => this.draw());
        // For files that are not unlit.
        this.scene.add(new THREE.HemisphereLight(0xffffff, 0x8d8d99, 2.5), this.ground, this.bones);
        this.bones.frustumCulled = false;
        this.bones.renderOrder = 2;
        this.scene.add(this.box);
        this.size.observe(this.canvas);
        this.applyLook();
    }

    dispose() {
        cancelAnimationFrame(this.request);
        this.size.disconnect();
        this.controls.dispose();
        this.renderer.dispose();
        this.renderer.forceContextLoss(); // a page may have few contexts, and the browser takes one back late
    }

    // Asks for a frame.
    draw() {
        this.dirty = true;
        if (this.request === 0) this.request = requestAnimationFrame((now) => this.frame(now));
    }

    private frame(now: number) {
        this.request = 0;
        const seconds = this.last > 0 ? Math.min((now - this.last) / 1000, 0.25) : 0;
        this.last = now;
        const goesOn = this.onFrame(seconds);
        if (this.dirty) this.render();
        if (goesOn) this.draw();
        else this.last = 0;
    }

    private render() {
        this.dirty = false;
        this.frames++;
        this.drawBones();
        if (this.look.bounds && this.model) this.box.box.copy(this.model.bounds());
        this.renderer.render(this.scene, this.camera);
        this.drawNames();
    }

    private resize() {
        const { clientWidth: width, clientHeight: height } = this.canvas;
        if (width === 0 || height === 0) return;
        const ratio = Math.min(devicePixelRatio, 2);
        this.renderer.setPixelRatio(ratio);
        this.renderer.setSize(width, height, false);
        this.overlay.width = width * ratio;
        this.overlay.height = height * ratio;
        const before = this.away();
        this.camera.aspect = width / height;
        if (this.model) this.moveAway(this.away() / before);
        this.camera.updateProjectionMatrix();
        this.draw();
    }

    // From where the picture holds what was fitted, whichever way it is turned: in its height, and upright as it stands, in its width.
    private away(): number {
        const half = THREE.MathUtils.degToRad(this.camera.fov / 2);
        const across = Math.atan(Math.tan(half) * this.camera.aspect);
        return 1.02 * Math.max(this.radius / Math.sin(half), this.around / Math.sin(across));
    }

    // What filled the picture of another shape fills this one as well.
    private moveAway(times: number) {
        const { camera, controls } = this;
        camera.near *= times;
        camera.far *= times;
        controls.minDistance *= times;
        controls.maxDistance *= times;
        camera.position.sub(controls.target).multiplyScalar(times).add(controls.target);
        controls.update();
    }

    setModel(model: Model | null) {
        this.setWires([]);
        if (this.model) this.scene.remove(this.model.scene);
        this.model = model;
        this.marked = null;
        if (model) this.scene.add(model.scene);
        this.applyLook();
    }

    // The whole of what is visible, from the front and a little from the side and above.
    fit() {
        if (!this.model) return;
        const box = this.model.bounds();
        const sphere = box.getBoundingSphere(new THREE.Sphere());
        const size = box.getSize(new THREE.Vector3());
        this.radius = sphere.radius;
        this.around = Math.hypot(size.x, size.z) / 2;
        const away = this.away();
        this.camera.near = away / 200;
        this.camera.far = away * 20;
        this.controls.minDistance = away / 50;
        this.controls.maxDistance = away * 10;
        this.camera.updateProjectionMatrix();
        this.controls.target.copy(sphere.center);
        this.camera.position.copy(new THREE.Vector3(0.35, 0.22, 1).normalize().multiplyScalar(away)).add(sphere.center);
        this.controls.update();
        this.makeGround(box, sphere.radius);
        this.draw();
    }

    // Turns, moves and nears the camera by keys and buttons.
    orbit(degrees: number, up: number, nearer = 1) {
        const offset = this.camera.position.clone().sub(this.controls.target);
        const at = new THREE.Spherical().setFromVector3(offset);
        at.theta += THREE.MathUtils.degToRad(degrees);
        at.phi = THREE.MathUtils.clamp(at.phi + THREE.MathUtils.degToRad(up), 0.05, Math.PI - 0.05);
        at.radius *= nearer;
        this.camera.position.setFromSpherical(at).add(this.controls.target);
        this.controls.update();
        this.draw();
    }

    // Looks from where another stage looks.
    follow(other: Stage) {
        this.controls.minDistance = other.controls.minDistance;
        this.controls.maxDistance = other.controls.maxDistance;
        this.controls.target.copy(other.controls.target);
        this.camera.position.copy(other.camera.position);
        this.camera.near = other.camera.near;
        this.camera.far = other.camera.far;
        this.camera.updateProjectionMatrix();
        this.controls.update();
        this.draw();
    }

    // Moves what the camera looks at, in parts of the picture's height.
    pan(right: number, up: number) {
        const step = this.camera.position.distanceTo(this.controls.target) * Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2)) * 2;
        const move = new THREE.Vector3(right * step, up * step, 0).applyQuaternion(this.camera.quaternion);
        this.camera.position.add(move);
        this.controls.target.add(move);
        this.controls.update();
        this.draw();
    }

    private makeGround(box: THREE.Box3, radius: number) {
        for (const old of this.ground.children) (old as THREE.GridHelper).dispose();
        this.ground.clear();
        const cell = 10 ** Math.round(Math.log10(radius / 2));
        const cells = Math.ceil((radius * 4) / cell) * 2;
        const grid = new THREE.GridHelper(cells * cell, cells, 0x7c8594, 0x555c69);
        grid.material.transparent = true;
        grid.material.opacity = 0.45;
        grid.position.y = Math.min(0, box.min.y);
        this.ground.add(grid);
    }

    applyLook() {
        const colour = BACKGROUNDS[this.look.background]?.[1] ?? null;
        this.scene.background = colour === null ? null : new THREE.Color(colour);
        this.ground.visible = this.look.ground;
        this.box.visible = this.look.bounds;
        this.bones.visible = this.look.skeleton || this.marked !== null;
        for (const part of this.model?.parts ?? []) {
            const material = (part.mesh as THREE.Mesh).material as THREE.Material & { wireframe?: boolean };
            material.wireframe = this.look.wireframe;
        }
        this.draw();
    }

    // A mask drawn on the pose: its joints and what they move bright green, the rest dim grey. null: none.
    setMask(weights: ArrayLike<number> | null) {
        this.marked = weights;
        this.setWires(weights && this.model ? this.model.parts.map((part) => wire(part.mesh, weights)).filter((m) => m !== null) : []);
        this.applyLook();
    }

    private setWires(wires: THREE.Mesh[]) {
        for (const mesh of this.wires) {
            mesh.removeFromParent();
            mesh.geometry.dispose();
            (mesh.material as THREE.Material).dispose();
        }
        this.wires = wires;
        for (const mesh of wires) this.scene.add(mesh);
    }

    private drawBones() {
        if (!this.model || !this.bones.visible) return;
        const { joints, bones } = this.model;
        const positions: number[] = [];
        const colours: number[] = [];
        joints.forEach((joint, j) => {
            const colour = this.marked ? (this.marked[j] > 0 ? IN : OUT) : BONE;
            const own = bones[j].matrixWorld.elements;
            const parent = bones[joint.parent >= 0 ? joint.parent : j].matrixWorld.elements;
            positions.push(parent[12], parent[13], parent[14], own[12], own[13], own[14]);
            colours.push(colour.r, colour.g, colour.b, colour.r, colour.g, colour.b);
        });
        const geometry = this.bones.geometry;
        if (geometry.attributes.position?.count !== positions.length / 3) {
            geometry.setAttribute("position", new THREE.Float32BufferAttribute(positions, 3));
            geometry.setAttribute("color", new THREE.Float32BufferAttribute(colours, 3));
        }
        (geometry.attributes.position as THREE.BufferAttribute).set(positions).needsUpdate = true;
        (geometry.attributes.color as THREE.BufferAttribute).set(colours).needsUpdate = true;
        for (const mesh of this.wires) mesh.visible = (mesh.userData.of as THREE.Object3D).visible;
    }

    private drawNames() {
        const pen = this.overlay.getContext("2d")!;
        pen.clearRect(0, 0, this.overlay.width, this.overlay.height);
        if (!this.model || !this.look.names || !this.look.skeleton) return;
        const ratio = this.overlay.width / Math.max(this.canvas.clientWidth, 1);
        pen.font = `${11 * ratio}px system-ui, sans-serif`;
        pen.lineWidth = 3 * ratio;
        pen.strokeStyle = "#000a";
        pen.fillStyle = "#fff";
        const at = new THREE.Vector3();
        this.model.joints.forEach((joint, j) => {
            at.setFromMatrixPosition(this.model!.bones[j].matrixWorld).project(this.camera);
            if (Math.abs(at.z) > 1) return;
            const x = ((at.x + 1) / 2) * this.overlay.width + 4 * ratio;
            const y = ((1 - at.y) / 2) * this.overlay.height;
            pen.strokeText(joint.name, x, y);
            pen.fillText(joint.name, x, y);
        });
    }

    // The picture as a PNG.
    async screenshot(): Promise<Blob> {
        this.render();
        return new Promise((done, refuse) => {
            this.canvas.toBlob((blob) => (blob ? done(blob) : refuse(new Error("no picture"))), "image/png");
        });
    }
}

// A part's triangles as lines, coloured by how much of each vertex the mask's joints move.
function wire(part: THREE.Object3D, weights: ArrayLike<number>): THREE.Mesh | null {
    if (!(part instanceof THREE.SkinnedMesh)) return null;
    const geometry = new THREE.BufferGeometry();
    const source = part.geometry as THREE.BufferGeometry;
    for (const name of ["position", "skinIndex", "skinWeight"]) geometry.setAttribute(name, source.attributes[name]);
    geometry.setIndex(source.index);
    const { skinIndex, skinWeight } = source.attributes;
    const colours = new Float32Array(3 * skinIndex.count);
    const colour = new THREE.Color();
    for (let i = 0; i < skinIndex.count; i++) {
        let sum = 0;
        for (let k = 0; k < 4; k++) sum += skinWeight.getComponent(i, k) * (weights[skinIndex.getComponent(i, k)] ?? 0);
        colour.copy(OUT).lerp(IN, Math.min(sum, 1)).toArray(colours, 3 * i);
    }
    geometry.setAttribute("color", new THREE.BufferAttribute(colours, 3));
    const material = new THREE.MeshBasicMaterial({ wireframe: true, vertexColors: true, polygonOffset: true, polygonOffsetFactor: -1 });
    const mesh = new THREE.SkinnedMesh(geometry, material);
    mesh.bind(part.skeleton, part.bindMatrix);
    mesh.frustumCulled = false;
    mesh.userData.of = part;
    return mesh;
}
