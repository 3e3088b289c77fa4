// Types of the API's answers and requests, from its OpenAPI document: node schema.mjs DOCUMENT > src/api/schema.ts
import { readFileSync } from "node:fs";

const { components } = JSON.parse(readFileSync(process.argv[2], "utf8"));

function object(schema) {
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties ?? {}).map(([name, value]) => `${name}${required.has(name) ? "" : "?"}: ${type(value)}`);
  if (fields.length > 0) return `{ ${fields.join("; ")} }`;
  return typeof schema.additionalProperties === "object" ? `Record<string, ${type(schema.additionalProperties)}>` : "Record<string, unknown>";
}

function type(schema) {
  if (schema.$ref) return schema.$ref.split("/").pop();
  if (schema.anyOf) return schema.anyOf.map(type).join(" | ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.type === "array") return schema.items.enum || schema.items.anyOf ? `(${type(schema.items)})[]` : `${type(schema.items)}[]`;
  if (schema.type === "object") return object(schema);
  if (schema.type === "integer") return "number";
  return schema.type ?? "unknown";
}

console.log("// Made from docs/api/openapi.json by schema.mjs.\n");
for (const [name, schema] of Object.entries(components.schemas)) console.log(`export type ${name} = ${type(schema)};`);
