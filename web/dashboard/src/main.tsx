import './app.css'
import { render } from 'preact'
import { App } from './app'
import { listenToKeys } from './lib/keys'
import { follow } from './lib/router'

follow()
listenToKeys()
render(<App />, document.getElementById('app')!)
