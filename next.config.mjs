/** @type {import('next').NextConfig} */
export default {
  poweredByHeader: false,
  reactStrictMode: true,
  // Left as they are on disk: the driver and the log are the process's own, the hash is a native add-on.
  serverExternalPackages: ['postgres', 'pino', '@node-rs/argon2'],
  // Without them an address that has no page would be answered outside the frame, and one that is not for everybody with 200.
  experimental: { globalNotFound: true, authInterrupts: true, agentUpgrade: false },
  // Both names of this machine are ours in development.
  allowedDevOrigins: ['127.0.0.1', 'localhost'],
  // `npm run check` does that, and the tests; whoever only wants to start need not wait for it.
  typescript: { ignoreBuildErrors: true },
}
