// What runs in the browser: loads skins from the daemon's origin, draws them and measures what was drawn. run.mjs calls
// window.riftbake and judges the numbers.
import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";

const canvas = document.getElementById("view");
const renderer = new THREE.WebGLRenderer({ canvas, alpha: true, antialias: false, preserveDrawingBuffer: true });
renderer.setPixelRatio(1);
renderer.setSize(canvas.width, canvas.height, false);
renderer.setClearColor(0, 0);

// Red where the winding of the triangle and the normal agree about the side that is seen, green wherever something is.
const facing = new THREE.ShaderMaterial({
    side: THREE.DoubleSide,
    blending: THREE.NoBlending,
    vertexShader: `
        #include <common>
        #include <skinning_pars_vertex>
        varying vec3 seen_normal;
        varying vec3 seen_place;
        void main() {
            #include <skinbase_vertex>
            #include <beginnormal_vertex>
            #include <skinnormal_vertex>
            #include <begin_vertex>
            #include <skinning_vertex>
            seen_normal = normalMatrix * objectNormal;
            vec4 place = modelViewMatrix * vec4(transformed, 1.0);
            seen_place = place.xyz;
            gl_Position = projectionMatrix * place;
        }`,
    fragmentShader: `
        varying vec3 seen_normal;
        varying vec3 seen_place;
        void main() {
            bool towards = dot(normalize(seen_normal), -seen_place) > 0.0;
            gl_FragColor = vec4(towards == gl_FrontFacing ? 1.0 : 0.0, 1.0, 0.0, 1.0);
        }`,
});

let shown = null; // { scene, root, camera, mixer, clips }

async function load(url, onProgress) {
    const gltf = await new GLTFLoader().loadAsync(url, onProgress);
    const scene = new THREE.Scene();
    scene.add(new THREE.HemisphereLight(0xffffff, 0x444444, 3), gltf.scene);
    scene.updateMatrixWorld(true);
    const box = new THREE.Box3().setFromObject(gltf.scene, true);
    const size = box.getSize(new THREE.Vector3());
    shown = {
        scene,
        root: gltf.scene,
        centre: box.getCenter(new THREE.Vector3()),
        reach: Math.max(size.x, size.y, size.z),
        camera: new THREE.PerspectiveCamera(40, 1, 0.001, 1000),
        mixer: new THREE.AnimationMixer(gltf.scene),
        clips: gltf.animations,
    };
    turn(20);
    const meshes = [];
    gltf.scene.traverse((object) => object.isMesh && meshes.push(object.name));
    return { clips: gltf.animations.map((c) => ({ name: c.name, seconds: c.duration })), meshes, height: size.y };
}

// Looks at the skin from `degrees` round the vertical axis; 0 is from the front, +Z.
function turn(degrees) {
    const { camera, centre, reach } = shown;
    const angle = THREE.MathUtils.degToRad(degrees);
    const away = reach * 2;
    camera.near = reach / 100;
    camera.far = reach * 10;
    camera.position.set(centre.x + away * Math.sin(angle), centre.y + reach * 0.2, centre.z + away * Math.cos(angle));
    camera.lookAt(centre);
    camera.updateProjectionMatrix();
}

function pixels() {
    const gl = renderer.getContext();
    const bytes = new Uint8Array(canvas.width * canvas.height * 4);
    gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    return bytes;
}

function draw() {
    renderer.render(shown.scene, shown.camera);
    return pixels();
}

// Sets the skeleton to a moment of a clip; without a name to the rest pose.
function pose(name, seconds) {
    shown.mixer.stopAllAction();
    if (name === undefined) return;
    shown.mixer.clipAction(shown.clips.find((c) => c.name === name)).reset().play();
    shown.mixer.setTime(seconds);
}

function covered() {
    const bytes = draw();
    const colours = new Set();
    let count = 0;
    for (let at = 0; at < bytes.length; at += 4) {
        if (bytes[at + 3] === 0) continue;
        count++;
        colours.add((bytes[at] << 16) | (bytes[at + 1] << 8) | bytes[at + 2]);
    }
    return { share: count / (bytes.length / 4), colours: colours.size };
}

// Plays a clip as a page does, frame by frame, and counts the pixels that are not what they were at its start.
async function play(name, frames) {
    pose(name, 0);
    const first = draw();
    const clip = shown.clips.find((c) => c.name === name);
    const changed = new Uint8Array(first.length / 4);
    for (let frame = 1; frame < frames; frame++) {
        await new Promise(requestAnimationFrame);
        shown.mixer.update(clip.duration / frames);
        const now = draw();
        for (let at = 0; at < now.length; at++) {
            if (now[at] !== first[at]) changed[at >> 2] = 1;
        }
    }
    return changed.reduce((sum, one) => sum + one, 0) / changed.length;
}

// The share of the covered pixels whose winding and normal agree.
function agreement() {
    shown.scene.overrideMaterial = facing;
    const bytes = draw();
    shown.scene.overrideMaterial = null;
    let seen = 0;
    let agree = 0;
    for (let at = 0; at < bytes.length; at += 4) {
        if (bytes[at + 1] === 0) continue;
        seen++;
        if (bytes[at] > 127) agree++;
    }
    return { seen, share: agree / seen };
}

// Turns every triangle over: what agreement() must notice.
function turnOver() {
    shown.root.traverse((object) => {
        if (!object.isMesh) return;
        const index = object.geometry.index;
        for (let at = 0; at < index.count; at += 3) {
            const second = index.getX(at + 1);
            index.setX(at + 1, index.getX(at + 2));
            index.setX(at + 2, second);
        }
        index.needsUpdate = true;
    });
}

// The daemon's thumbnail beside what three.js draws of the GLB that is loaded, from where the thumbnail is seen: 30 degrees wide, horizontally, as near as leaves
// 1/32 of the side free all around. The place is found by trying, not by the daemon's formula.
function portraitCamera(degrees) {
    const angle = THREE.MathUtils.degToRad(degrees);
    const points = [];
    shown.scene.updateMatrixWorld(true);
    shown.root.traverse((object) => {
        if (!object.isMesh) return;
        for (const at of new Set(object.geometry.index.array)) {
            const point = object.getVertexPosition(at, new THREE.Vector3());
            points.push(object.localToWorld(point).applyAxisAngle(new THREE.Vector3(0, 1, 0), angle));
        }
    });
    const slope = Math.tan(THREE.MathUtils.degToRad(15));
    const farthest = Math.max(...points.map((p) => Math.abs(p.x) + Math.abs(p.y) + Math.abs(p.z)));
    const nearest = points.reduce((z, p) => Math.max(z, p.z), -Infinity);
    // Where the eye may stand along an axis: every point's cone of sight leaves an interval.
    const room = (axis, eye) => {
        let from = -Infinity;
        let to = Infinity;
        for (const p of points) {
            const reach = (eye - p.z) * slope * (15 / 16);
            from = Math.max(from, p[axis] - reach);
            to = Math.min(to, p[axis] + reach);
        }
        return { from, to, fits: from <= to };
    };
    let near = nearest;
    let far = nearest + 40 * farthest;
    for (let step = 0; step < 60; step++) {
        const middle = (near + far) / 2;
        if (room("x", middle).fits && room("y", middle).fits) far = middle;
        else near = middle;
    }
    const x = room("x", far);
    const y = room("y", far);
    const camera = new THREE.PerspectiveCamera(30, 1, (far - nearest) / 2, far + 2 * farthest);
    camera.position.set((x.from + x.to) / 2, (y.from + y.to) / 2, far).applyAxisAngle(new THREE.Vector3(0, 1, 0), -angle);
    camera.rotation.y = -angle;
    camera.updateMatrixWorld(true);
    return camera;
}

async function comparePortrait(url, degrees, size) {
    const bitmap = await createImageBitmap(await (await fetch(url)).blob());
    const flat = new OffscreenCanvas(size, size).getContext("2d");
    flat.drawImage(bitmap, 0, 0);
    const ours = flat.getImageData(0, 0, size, size).data;
    const before = [canvas.width, canvas.height];
    const camera = shown.camera;
    renderer.setSize(size, size, false);
    shown.camera = portraitCamera(degrees);
    const theirs = draw(); // rows from below
    shown.camera = camera;
    renderer.setSize(...before, false);
    let both = 0;
    let either = 0;
    let difference = 0;
    for (let y = 0; y < size; y++) {
        for (let x = 0; x < size; x++) {
            const a = 4 * (y * size + x);
            const b = 4 * ((size - 1 - y) * size + x);
            const here = ours[a + 3] >= 128;
            const there = theirs[b + 3] >= 128;
            either += here || there;
            if (!here || !there) continue;
            both++;
            for (let c = 0; c < 3; c++) difference += Math.abs(ours[a + c] - theirs[b + c]) / 3;
        }
    }
    return { width: bitmap.width, overlap: both / either, colour: difference / both, covered: both };
}

// What a page may read of a reply from another origin.
async function ask(url, options) {
    const reply = await fetch(url, options);
    const headers = Object.fromEntries(reply.headers);
    const isJson = (headers["content-type"] ?? "").includes("json");
    return { status: reply.status, headers, body: isJson ? await reply.json() : (await reply.arrayBuffer()).byteLength };
}

// Loads as three.js does, and tells what a progress bar would have had. `again`: the browser asks whether its copy still holds, as it does on a reload
// when max-age is over.
async function loadWithProgress(url, again) {
    const plain = window.fetch;
    let reply = null;
    window.fetch = async (request, ...more) => {
        if (request.url !== url) return plain(request, ...more); // the textures inside
        return (reply = await plain(again ? new Request(request, { cache: "no-cache" }) : request));
    };
    const steps = [];
    try {
        const skin = await load(url, ({ lengthComputable, loaded, total }) => steps.push({ lengthComputable, loaded, total }));
        return { ...skin, steps, status: reply.status, length: Number(reply.headers.get("Content-Length")), coding: reply.headers.get("Content-Encoding"), etag: reply.headers.get("ETag") };
    } finally {
        window.fetch = plain;
    }
}

window.riftbake = { load, loadWithProgress, turn, pose, covered, play, agreement, turnOver, ask, comparePortrait };
