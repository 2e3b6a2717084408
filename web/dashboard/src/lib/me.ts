// Who is signed in.
import { computed, signal } from '@preact/signals'
import type { get } from './api'

type Identity = Awaited<ReturnType<typeof get<'/v1/whoami'>>>
export const me = signal<Identity | undefined>()
export const mayWrite = computed(() => !me.value?.read_only)
export const isAdmin = computed(() => me.value?.key?.role === 'admin' && me.value?.user?.role === 'admin')
