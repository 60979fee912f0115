// Elements without a framework.

type Child = Node | string | null | undefined | false;
type Props = Record<string, unknown>;

// h("button", { class: "icon", "aria-label": "Play", onclick: play }, "▶"): names that begin with "on" are listeners, booleans set
// or leave out the attribute, `value`, `checked` and `disabled` are properties.
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(props)) {
        if (value === undefined || value === null) continue;
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value as EventListener);
        else if (["value", "checked", "disabled"].includes(name)) (element as any)[name] = value;
        else if (typeof value === "boolean") element.toggleAttribute(name, value);
        else element.setAttribute(name, String(value));
    }
    element.append(...children.filter((child): child is Node | string => child !== null && child !== undefined && child !== false));
    return element;
}

export function labelled(text: string, control: HTMLElement): HTMLLabelElement {
    return h("label", {}, h("span", {}, text), control);
}

export function checkbox(text: string, checked: boolean, change: (on: boolean) => void): HTMLLabelElement {
    const box = h("input", { type: "checkbox", checked, onchange: () => change(box.checked) });
    return h("label", { class: "check" }, box, h("span", {}, text));
}

export function select(options: [string, string][], value: string, change: (value: string) => void): HTMLSelectElement {
    const list = h("select", { onchange: () => change(list.value) }, ...options.map(([key, text]) => h("option", { value: key }, text)));
    list.value = value;
    return list;
}

// Tabs with the keys that people expect. `make` fills a panel when it is opened for the first time.
export function tabs(label: string, panels: { name: string; make: () => HTMLElement }[]): HTMLElement {
    const made = new Map<number, HTMLElement>();
    const body = h("div", { class: "tab-body" });
    const buttons = panels.map(({ name }, i) => h("button", { type: "button", role: "tab", onclick: () => open(i) }, name));
    const list = h("div", { role: "tablist", "aria-label": label }, ...buttons);
    function open(at: number) {
        if (!made.has(at)) {
            const panel = h("div", { role: "tabpanel", "aria-label": panels[at].name, tabindex: "0" }, panels[at].make());
            made.set(at, panel);
            body.append(panel);
        }
        buttons.forEach((button, i) => {
            button.setAttribute("aria-selected", String(i === at));
            button.tabIndex = i === at ? 0 : -1;
        });
        for (const [i, panel] of made) panel.hidden = i !== at;
    }
    list.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        const at = (buttons.indexOf(event.target as HTMLButtonElement) + step + buttons.length) % buttons.length;
        open(at);
        buttons[at].focus();
        event.preventDefault();
    });
    open(0);
    return h("div", { class: "tabs" }, list, body);
}

export function save(blob: Blob, name: string) {
    const url = URL.createObjectURL(blob);
    h("a", { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export function bytesText(bytes: number): string {
    if (bytes < 1024) return `${bytes} B`;
    const units = ["KiB", "MiB", "GiB"];
    let value = bytes / 1024;
    let unit = 0;
    while (value >= 1024 && unit + 1 < units.length) {
        value /= 1024;
        unit++;
    }
    return `${value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`;
}
