/** An instance of the version to come: this one, and more steps of the schema. */
import '../../bin/memory.mjs';
import './steps.ts';
import '../bed/instance.ts';
