/** @type {import('next').NextConfig} */
export default {
  poweredByHeader: false,
  reactStrictMode: true,
  // Left as they are on disk: the driver and the log are the process's own, the hash is a native add-on.
  serverExternalPackages: ['postgres', 'pino', '@node-rs/argon2'],
  // Without it an address that has no page would be answered outside the frame.
  experimental: { globalNotFound: true },
  // `npm run check` does that, and the tests; whoever only wants to start need not wait for it.
  typescript: { ignoreBuildErrors: true },
}
