//! What is known of the machine and the container this process runs in.
