// What the browser tests share: a daemon, a browser, and ears for its complaints.
import { spawn } from "node:child_process";
import { chromium } from "playwright-core";

export const browserPath = process.env.RIFT_CHROMIUM ?? "/usr/bin/chromium";
const flags = [
    "--no-first-run", "--disable-quic", "--disable-sync", "--disable-component-update", "--disable-background-networking",
    "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
];

export const launch = () => chromium.launch({ executablePath: browserPath, args: flags });

// riftbaked on a free port; resolves to { url, stop }.
export function startDaemon(program, game, data, more = []) {
    const child = spawn(program, ["--game", game, "--data", data, "--listen", "127.0.0.1:0", ...more], { stdio: ["ignore", "pipe", "pipe"] });
    let errors = "";
    child.stderr.on("data", (chunk) => (errors += chunk));
    const ended = new Promise((done) => child.on("exit", (code) => done(code)));
    return new Promise((done, refuse) => {
        let text = "";
        child.stdout.on("data", (chunk) => {
            text += chunk;
            const address = /listening on (?:http:\/\/)?(\S+)/.exec(text);
            if (address) done({ url: `http://${address[1]}`, stop: () => (child.kill("SIGTERM"), ended), errors: () => errors });
        });
        ended.then((code) => refuse(new Error(`riftbaked ended with ${code}: ${errors.slice(-500)}`)));
    });
}

export function listen(page, complaints) {
    page.on("console", (message) => {
        if (message.type() === "error" || message.type() === "warning") complaints.push(`${message.text()} ${message.location().url}`);
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("requestfailed", (request) => complaints.push(`${request.url()}: ${request.failure()?.errorText}`));
}
