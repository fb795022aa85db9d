import { env } from 'node:process'

// Exits with 0 if the web process of this container responds.

const url = `http://127.0.0.1:${env.PORT ?? 3000}/healthz`
const response = await fetch(url).catch(() => null)
process.exit(response?.ok === true ? 0 : 1)
