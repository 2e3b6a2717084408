import tailwindcss from '@tailwindcss/vite'
import { defineConfig } from 'vite'

// The bytes of dist/ are committed and compared, so nothing here may depend on the machine or the moment.
export default defineConfig({
  base: '/dashboard/',
  plugins: [tailwindcss()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: true,
    chunkSizeWarningLimit: 200,
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:7077', '/health': 'http://127.0.0.1:7077' } },
})
