import { writeFile } from 'node:fs/promises'
import { openApiJson } from '#server/http/openapi.ts'

// Writes the committed OpenAPI document; a test fails when it is stale.

await writeFile(new URL('../public/openapi.json', import.meta.url), openApiJson())
