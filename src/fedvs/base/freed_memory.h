// Memory that was freed and that the allocator would keep for later.
#pragma once

namespace fedvs {

// Gives it back to the system; for the end of a phase that needed much more than what follows.
// Takes milliseconds. Does nothing where the C library has no such call.
void give_back_freed_memory();

}  // namespace fedvs
