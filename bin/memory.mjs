// How V8 tidies memory. What it often found alive it would make old from its beginning: it then stays, with all it leads
// to, until all of memory is gone through. Of what a service makes for a request nothing should grow old.
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--no-allocation-site-pretenuring');
