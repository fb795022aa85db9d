import { writeFile } from 'node:fs/promises'
import { openApiJson } from '#server/http/openapi.ts'

// Writes the document that is committed; a test fails when it is not what the code says.

await writeFile(new URL('../public/openapi.json', import.meta.url), openApiJson())
