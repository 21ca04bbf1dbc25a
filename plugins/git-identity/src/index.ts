/**
 * Whom commits inside the target are by: asked of GitHub and of git, so that neither is waited for at a launch.
 */
import {definePlugin} from 'bootcut/plugin';
import {compose} from './compose.js';
import {git} from './git.js';
import {github} from './github.js';

export {identityOrder} from './order.js';

export default definePlugin({name: 'git-identity', steps: [github, git], compose});
