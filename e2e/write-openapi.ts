import { writeFile } from 'node:fs/promises'
import { openApiJson } from '#server/http/openapi.ts'

// Writes the committed OpenAPI document. A test fails if the committed document is outdated.

await writeFile(new URL('../public/openapi.json', import.meta.url), openApiJson())
