// lint.mjs [FILE]: holds the HTTP contract against Redocly's recommended rules; a warning fails as an error does.
// The library, not its command line: that one phones home and looks for newer versions of itself.
import { createConfig, formatProblems, getTotals, lint } from "@redocly/openapi-core";
import { fileURLToPath } from "node:url";

const file = process.argv[2] ?? fileURLToPath(new URL("../../schema/openapi.yaml", import.meta.url));
const config = await createConfig({
    extends: ["recommended"],
    rules: {
        // Liveness, readiness and the contract itself cannot be asked wrongly.
        "operation-4xx-response": "off",
        "no-empty-servers": "error",
        "operation-operationId": "error",
        "path-parameters-defined": "error",
        "no-unused-components": "error",
        "no-invalid-schema-examples": "error",
        "no-invalid-media-type-examples": "error",
    },
});
const problems = await lint({ ref: file, config });
const totals = getTotals(problems);
formatProblems(problems, { format: "codeframe", totals, maxProblems: 100 });
if (totals.errors + totals.warnings > 0) {
    console.error(`${file}: ${totals.errors} errors, ${totals.warnings} warnings`);
    process.exit(1);
}
console.log("openapi.yaml: no problem");
