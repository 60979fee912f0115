import { defineConfig } from "vite";

// Two entries with fixed names: the page, and the component that other sites load. The page uses the component's file, so that
// a browser has it once.
export default defineConfig({
    base: "./",
    build: {
        target: "es2022",
        modulePreload: { polyfill: false },
        chunkSizeWarningLimit: 900,
        rollupOptions: {
            input: { page: "index.html", viewer: "src/viewer.ts" },
            preserveEntrySignatures: "allow-extension",
            output: { entryFileNames: "[name].js", chunkFileNames: "[name].js", assetFileNames: "[name][extname]" },
        },
    },
});
