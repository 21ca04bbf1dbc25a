import {definePlugin} from 'bootcut/plugin';
import {image} from './image.js';
import {packageVersion} from './package-version.js';
import {release} from './release.js';

/**
 * Says when there is something newer than what a launch uses: an image in its registry, a release on GitHub, a package
 * in npm. One question per thing and time to live, never one per launch.
 *
 * Settings: `things`, a list such as `["oci:ghcr.io/a/b:latest", "github:o/r@v1.2.3", "npm:name@1.2.3"]` to watch
 * besides what the runtime names (what follows the `@` is what you have), and `githubApi`, another API address.
 */
export default definePlugin({name: 'update-check', steps: [image, release, packageVersion]});
